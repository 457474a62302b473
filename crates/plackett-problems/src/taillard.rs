//! Taillard's flow shops (Benchmarks for basic scheduling problems, 1993), ta001 to ta120: how they are made, by which they are known
//! again under any name, and the best makespans published.
//!
//! Those of 5 and 10 machines and of 20 jobs are proven. Those of 20 machines and more jobs are the best known where two lists say the
//! same, one of them of 2025 (the tables behind <https://zenodo.org/records/17028980>), and left out where lists differ.

use crate::published::BestKnown;

/// Ten problems of one size.
struct Class {
    jobs: usize,
    machines: usize,
    /// Where his generator starts for each.
    seeds: [i64; 10],
    /// The best makespans; zero where lists differ.
    values: [u32; 10],
}

const CLASSES: &[Class] = &[
    Class {
        jobs: 20,
        machines: 5,
        seeds: [
            873_654_221,
            379_008_056,
            1_866_992_158,
            216_771_124,
            495_070_989,
            402_959_317,
            1_369_363_414,
            2_021_925_980,
            573_109_518,
            88_325_120,
        ],
        values: [1278, 1359, 1081, 1293, 1235, 1195, 1234, 1206, 1230, 1108],
    },
    Class {
        jobs: 20,
        machines: 10,
        seeds: [
            587_595_453,
            1_401_007_982,
            873_136_276,
            268_827_376,
            1_634_173_168,
            691_823_909,
            73_807_235,
            1_273_398_721,
            2_065_119_309,
            1_672_900_551,
        ],
        values: [1582, 1659, 1496, 1377, 1419, 1397, 1484, 1538, 1593, 1591],
    },
    Class {
        jobs: 20,
        machines: 20,
        seeds: [
            479_340_445,
            268_827_376,
            1_958_948_863,
            918_272_953,
            555_010_963,
            2_010_851_491,
            1_519_833_303,
            1_748_670_931,
            1_923_497_586,
            1_829_909_967,
        ],
        values: [2297, 2099, 2326, 2223, 2291, 2226, 2273, 2200, 2237, 2178],
    },
    Class {
        jobs: 50,
        machines: 5,
        seeds: [
            1_328_042_058,
            200_382_020,
            496_319_842,
            1_203_030_903,
            1_730_708_564,
            450_926_852,
            1_303_135_678,
            1_273_398_721,
            587_288_402,
            248_421_594,
        ],
        values: [2724, 2834, 2621, 2751, 2863, 2829, 2725, 2683, 2552, 2782],
    },
    Class {
        jobs: 50,
        machines: 10,
        seeds: [
            1_958_948_863,
            575_633_267,
            655_816_003,
            1_977_864_101,
            93_805_469,
            1_803_345_551,
            49_612_559,
            1_899_802_599,
            2_013_025_619,
            578_962_478,
        ],
        values: [2991, 2867, 2839, 3063, 2976, 3006, 3093, 3037, 2897, 3065],
    },
    Class {
        jobs: 50,
        machines: 20,
        seeds: [
            1_539_989_115,
            691_823_909,
            655_816_003,
            1_315_102_446,
            1_949_668_355,
            1_923_497_586,
            1_805_594_913,
            1_861_070_898,
            715_643_788,
            464_843_328,
        ],
        values: [0, 3699, 3640, 0, 0, 3679, 3704, 3691, 0, 0],
    },
    Class {
        jobs: 100,
        machines: 5,
        seeds: [
            896_678_084,
            1_179_439_976,
            1_122_278_347,
            416_756_875,
            267_829_958,
            1_835_213_917,
            1_328_833_962,
            1_418_570_761,
            161_033_112,
            304_212_574,
        ],
        values: [5493, 5268, 5175, 5014, 5250, 5135, 5246, 5094, 5448, 5322],
    },
    Class {
        jobs: 100,
        machines: 10,
        seeds: [
            1_539_989_115,
            655_816_003,
            960_914_243,
            1_915_696_806,
            2_013_025_619,
            1_168_140_026,
            1_923_497_586,
            167_698_528,
            1_528_387_973,
            993_794_175,
        ],
        values: [5770, 5349, 5676, 5781, 5467, 5303, 5595, 5617, 5871, 5845],
    },
    Class {
        jobs: 100,
        machines: 20,
        seeds: [
            450_926_852,
            1_462_772_409,
            1_021_685_265,
            83_696_007,
            508_154_254,
            1_861_070_898,
            26_482_542,
            444_956_424,
            2_115_448_041,
            118_254_244,
        ],
        values: [6134, 6183, 6252, 6254, 6270, 6311, 0, 0, 0, 6404],
    },
    Class {
        jobs: 200,
        machines: 10,
        seeds: [
            471_503_978,
            1_215_892_992,
            135_346_136,
            1_602_504_050,
            160_037_322,
            551_454_346,
            519_485_142,
            383_947_510,
            1_968_171_878,
            540_872_513,
        ],
        values: [10_862, 10_480, 10_922, 10_889, 10_524, 10_329, 10_854, 10_730, 10_438, 10_675],
    },
    Class {
        jobs: 200,
        machines: 20,
        seeds: [
            2_013_025_619,
            475_051_709,
            914_834_335,
            810_642_687,
            1_019_331_795,
            2_056_065_863,
            1_342_855_162,
            1_325_809_384,
            1_988_803_007,
            765_656_702,
        ],
        values: [11_158, 0, 11_281, 11_275, 11_259, 11_176, 11_337, 0, 11_146, 11_284],
    },
    Class {
        jobs: 500,
        machines: 20,
        seeds: [
            1_368_624_604,
            450_181_436,
            1_927_888_393,
            1_759_567_256,
            606_425_239,
            19_268_348,
            1_298_201_670,
            2_041_736_264,
            379_756_761,
            28_837_162,
        ],
        values: [26_040, 26_500, 26_371, 26_456, 26_334, 26_469, 26_389, 26_560, 26_005, 26_457],
    },
];

/// The best makespan of one of these problems, by its name, or by its times, a row of machines for every job.
pub(crate) fn find(name: &str, jobs: usize, machines: usize, times: &[f64]) -> Option<BestKnown> {
    let class = CLASSES.iter().position(|class| class.jobs == jobs && class.machines == machines)?;
    let by_name = || {
        let number: usize = name.to_lowercase().strip_prefix("ta")?.parse().ok()?;
        number.checked_sub(10 * class + 1).filter(|&index| index < 10)
    };
    let is_made_by = |&index: &usize| {
        let made = Times(CLASSES[class].seeds[index]);
        let by_machine = (0..jobs * machines).map(|at| times[at % jobs * machines + at / jobs]);
        by_machine.zip(made).all(|(time, made)| time == made)
    };
    let index = by_name().or_else(|| (0..10).find(is_made_by))?;
    let value = CLASSES[class].values[index];
    (value > 0).then(|| BestKnown { value: f64::from(value), is_optimal: machines < 20 || jobs == 20 })
}

/// His generator: whole times from 1 to 99, machine after machine.
struct Times(i64);

impl Iterator for Times {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        const MODULUS: i64 = 2_147_483_647;
        self.0 = 16_807 * (self.0 % 127_773) - 2_836 * (self.0 / 127_773);
        if self.0 < 0 {
            self.0 += MODULUS;
        }
        Some((1.0 + 99.0 * (self.0 as f64 / MODULUS as f64)).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first machine of ta001 and of ta002, as published.
    #[test]
    fn times_are_those_of_the_published_files() {
        let row = |seed| Times(seed).take(20).collect::<Vec<f64>>();
        let ta001 = [54, 83, 15, 71, 77, 36, 53, 38, 27, 87, 76, 91, 14, 29, 12, 77, 32, 87, 68, 94];
        let ta002 = [26, 38, 27, 88, 95, 55, 54, 63, 23, 45, 86, 43, 43, 40, 37, 54, 35, 59, 43, 50];
        assert_eq!(row(CLASSES[0].seeds[0]), ta001.map(f64::from));
        assert_eq!(row(CLASSES[0].seeds[1]), ta002.map(f64::from));
    }

    #[test]
    fn problems_are_known_by_name_and_by_content() {
        for (class, Class { jobs, machines, seeds, values }) in CLASSES.iter().enumerate() {
            for (index, (&seed, &value)) in seeds.iter().zip(values).enumerate() {
                let made: Vec<f64> = Times(seed).take(jobs * machines).collect();
                let mut times: Vec<f64> =
                    (0..made.len()).map(|at| made[at % machines * jobs + at / machines]).collect();
                let found =
                    |name: &str, times: &[f64]| find(name, *jobs, *machines, times).map(|best| best.value);
                let expected = (value > 0).then(|| f64::from(value));
                assert_eq!(found("mine", &times), expected);
                assert_eq!(
                    found(&format!("TA{:03}", 10 * class + index + 1), &vec![0.0; made.len()]),
                    expected
                );
                times[7] += 1.0;
                assert_eq!(found("mine", &times), None);
            }
        }
        assert_eq!(find("ta031", 20, 5, &[0.0; 100]), None);
    }
}
