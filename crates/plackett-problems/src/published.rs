//! Published optimal and best known values of QAPLIB, TSPLIB and LOLIB, by name and size or by what is in the file; those of
//! Taillard's flow shops are in `taillard`.

use crate::kind::Kind;

/// The best value that has been published for a problem, or that its file states.
///
/// ```
/// use plackett_problems::{Instance, TravelingSalesman};
/// let triangle = TravelingSalesman::from_distances("mine", 3, vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0])?;
/// assert!(triangle.best_known().is_none());
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestKnown {
    /// The value.
    pub value: f64,
    /// Whether it is proven that there is none better.
    pub is_optimal: bool,
}

/// Finds the published value of a problem: by its name, or by the values of two orders if it goes by another name. A file of the same
/// name but another size is another problem.
pub(crate) fn find(
    kind: Kind,
    name: &str,
    items: usize,
    value: impl Fn(&[usize]) -> f64,
) -> Option<BestKnown> {
    let table = match kind {
        Kind::LinearOrdering => LINEAR_ORDERING,
        Kind::QuadraticAssignment => QUADRATIC_ASSIGNMENT,
        Kind::TravelingSalesman => TRAVELING_SALESMAN,
        Kind::FlowShop | Kind::LinearAssignment => return None,
    };
    let named =
        |name: &str| table.iter().find(|entry| entry.0.eq_ignore_ascii_case(name) && entry.1 == items);
    let by_content = || {
        let is_of =
            |probe: &&Probe| probe.0 == kind && named(probe.1).is_some() && probe.2 == probes(items, &value);
        PROBES.iter().find(is_of).and_then(|probe| named(probe.1))
    };
    let entry = named(name).or_else(by_content)?;
    Some(BestKnown { value: entry.2, is_optimal: entry.3 })
}

/// What the items in the order of their numbers are worth, and those of even numbers before those of odd ones.
fn probes(items: usize, value: impl Fn(&[usize]) -> f64) -> [f64; 2] {
    let ascending: Vec<usize> = (0..items).collect();
    let evens_first: Vec<usize> = (0..items).step_by(2).chain((1..items).step_by(2)).collect();
    [value(&ascending), value(&evens_first)]
}

/// Kind, name, and what two orders are worth: a file of any name and layout with the same numbers is the same problem.
type Probe = (Kind, &'static str, [f64; 2]);

const PROBES: &[Probe] = &[
    (Kind::QuadraticAssignment, "nug12", [724.0, 900.0]),
    (Kind::QuadraticAssignment, "nug20", [3444.0, 3544.0]),
    (Kind::QuadraticAssignment, "tai12a", [339_684.0, 316_674.0]),
    (Kind::TravelingSalesman, "burma14", [4562.0, 6399.0]),
    (Kind::TravelingSalesman, "gr17", [4722.0, 5379.0]),
    (Kind::TravelingSalesman, "berlin52", [22_205.0, 28_043.0]),
    (Kind::LinearOrdering, "N-be75eec_150", [2_062_846.0, 1_974_464.0]),
];

/// Name, items, value, whether it is proven optimal.
type Entry = (&'static str, usize, f64, bool);

/// The large problems after LOLIB, Schiavinotto and Stützle: best values as their course on heuristic optimization lists them, none of
/// them proven.
const LINEAR_ORDERING: &[Entry] = &[
    ("N-be75eec_150", 150, 3_482_828.0, false),
    ("N-be75np_150", 150, 7_174_325.0, false),
    ("N-be75oi_150", 150, 2_246_534.0, false),
    ("N-be75tot_150", 150, 12_287_707.0, false),
    ("N-stabu1_150", 150, 2_875_732.0, false),
    ("N-stabu2_150", 150, 4_327_538.0, false),
    ("N-stabu3_150", 150, 4_510_445.0, false),
    ("N-t59b11xx_150", 150, 3_239_550.0, false),
    ("N-t59d11xx_150", 150, 1_462_697.0, false),
    ("N-t59f11xx_150", 150, 1_543_733.0, false),
    ("N-t59n11xx_150", 150, 318_960.0, false),
    ("N-t65b11xx_150", 150, 6_453_836.0, false),
    ("N-t65d11xx_150", 150, 3_559_347.0, false),
    ("N-t65f11xx_150", 150, 3_159_326.0, false),
    ("N-t65l11xx_150", 150, 253_396.0, false),
    ("N-t65n11xx_150", 150, 550_733.0, false),
    ("N-t69r11xx_150", 150, 11_855_957.0, false),
    ("N-t70b11xx_150", 150, 9_647_229.0, false),
    ("N-t70d11xn_150", 150, 5_825_147.0, false),
    ("N-t70d11xx_150", 150, 6_174_178.0, false),
    ("N-t70f11xx_150", 150, 5_150_097.0, false),
    ("N-t70l11xx_150", 150, 436_862.0, false),
    ("N-t70n11xx_150", 150, 948_913.0, false),
    ("N-t74d11xx_150", 150, 9_396_044.0, false),
    ("N-t75d11xx_150", 150, 9_642_140.0, false),
    ("N-t75e11xx_150", 150, 41_570_193.0, false),
    ("N-t75k11xx_150", 150, 1_541_596.0, false),
    ("N-t75n11xx_150", 150, 1_743_094.0, false),
    ("N-tiw56n54_150", 150, 837_945.0, false),
    ("N-tiw56n58_150", 150, 1_155_392.0, false),
    ("N-tiw56n62_150", 150, 1_626_921.0, false),
    ("N-tiw56n66_150", 150, 2_107_619.0, false),
    ("N-tiw56n67_150", 150, 2_372_926.0, false),
    ("N-tiw56n72_150", 150, 4_135_907.0, false),
    ("N-tiw56r54_150", 150, 958_192.0, false),
    ("N-tiw56r58_150", 150, 1_219_295.0, false),
    ("N-tiw56r66_150", 150, 1_940_755.0, false),
    ("N-tiw56r67_150", 150, 2_056_347.0, false),
    ("N-tiw56r72_150", 150, 2_823_758.0, false),
    ("N-be75eec_250", 250, 8_893_533.0, false),
    ("N-be75np_250", 250, 17_814_072.0, false),
    ("N-be75oi_250", 250, 5_910_096.0, false),
    ("N-be75tot_250", 250, 30_958_609.0, false),
    ("N-stabu1_250", 250, 7_742_444.0, false),
    ("N-stabu2_250", 250, 11_500_448.0, false),
    ("N-stabu3_250", 250, 11_900_315.0, false),
    ("N-t59b11xx_250", 250, 8_411_910.0, false),
    ("N-t59d11xx_250", 250, 3_841_167.0, false),
    ("N-t59f11xx_250", 250, 3_993_006.0, false),
    ("N-t59n11xx_250", 250, 825_608.0, false),
    ("N-t65b11xx_250", 250, 17_273_996.0, false),
    ("N-t65d11xx_250", 250, 9_351_696.0, false),
    ("N-t65f11xx_250", 250, 8_409_567.0, false),
    ("N-t65l11xx_250", 250, 666_254.0, false),
    ("N-t65n11xx_250", 250, 1_429_362.0, false),
    ("N-t69r11xx_250", 250, 31_815_927.0, false),
    ("N-t70b11xx_250", 250, 25_403_045.0, false),
    ("N-t70d11xn_250", 250, 15_207_063.0, false),
    ("N-t70d11xx_250", 250, 16_040_574.0, false),
    ("N-t70f11xx_250", 250, 13_586_135.0, false),
    ("N-t70l11xx_250", 250, 1_113_128.0, false),
    ("N-t70n11xx_250", 250, 2_444_390.0, false),
    ("N-t74d11xx_250", 250, 24_430_250.0, false),
    ("N-t75d11xx_250", 250, 25_017_059.0, false),
    ("N-t75e11xx_250", 250, 106_873_878.0, false),
    ("N-t75k11xx_250", 250, 4_093_849.0, false),
    ("N-t75n11xx_250", 250, 4_524_942.0, false),
    ("N-tiw56n54_250", 250, 2_098_726.0, false),
    ("N-tiw56n58_250", 250, 2_906_657.0, false),
    ("N-tiw56n62_250", 250, 4_142_745.0, false),
    ("N-tiw56n66_250", 250, 5_370_404.0, false),
    ("N-tiw56n67_250", 250, 6_324_858.0, false),
    ("N-tiw56n72_250", 250, 11_149_706.0, false),
    ("N-tiw56r54_250", 250, 2_387_349.0, false),
    ("N-tiw56r58_250", 250, 3_060_323.0, false),
    ("N-tiw56r66_250", 250, 4_948_414.0, false),
    ("N-tiw56r67_250", 250, 5_289_658.0, false),
    ("N-tiw56r72_250", 250, 7_451_579.0, false),
];

/// QAPLIB, Burkard, Çela, Karisch and Rendl; of what is not proven there, the best value listed. tai100a is left out: lists differ.
const QUADRATIC_ASSIGNMENT: &[Entry] = &[
    ("bur26a", 26, 5_426_670.0, true),
    ("bur26b", 26, 3_817_852.0, true),
    ("bur26c", 26, 5_426_795.0, true),
    ("bur26d", 26, 3_821_225.0, true),
    ("bur26e", 26, 5_386_879.0, true),
    ("bur26f", 26, 3_782_044.0, true),
    ("bur26g", 26, 10_117_172.0, true),
    ("bur26h", 26, 7_098_658.0, true),
    ("chr12a", 12, 9552.0, true),
    ("chr12b", 12, 9742.0, true),
    ("chr12c", 12, 11_156.0, true),
    ("chr15a", 15, 9896.0, true),
    ("chr15b", 15, 7990.0, true),
    ("chr15c", 15, 9504.0, true),
    ("chr18a", 18, 11_098.0, true),
    ("chr18b", 18, 1534.0, true),
    ("chr20a", 20, 2192.0, true),
    ("chr20b", 20, 2298.0, true),
    ("chr20c", 20, 14_142.0, true),
    ("chr22a", 22, 6156.0, true),
    ("chr22b", 22, 6194.0, true),
    ("chr25a", 25, 3796.0, true),
    ("els19", 19, 17_212_548.0, true),
    ("esc16a", 16, 68.0, true),
    ("esc16b", 16, 292.0, true),
    ("esc16c", 16, 160.0, true),
    ("esc16d", 16, 16.0, true),
    ("esc16e", 16, 28.0, true),
    ("esc16f", 16, 0.0, true),
    ("esc16g", 16, 26.0, true),
    ("esc16h", 16, 996.0, true),
    ("esc16i", 16, 14.0, true),
    ("esc16j", 16, 8.0, true),
    ("esc32e", 32, 2.0, true),
    ("esc32g", 32, 6.0, true),
    ("had12", 12, 1652.0, true),
    ("had14", 14, 2724.0, true),
    ("had16", 16, 3720.0, true),
    ("had18", 18, 5358.0, true),
    ("had20", 20, 6922.0, true),
    ("kra30a", 30, 88_900.0, true),
    ("kra30b", 30, 91_420.0, true),
    ("kra32", 32, 88_700.0, true),
    ("lipa20a", 20, 3683.0, true),
    ("lipa20b", 20, 27_076.0, true),
    ("lipa30a", 30, 13_178.0, true),
    ("lipa30b", 30, 151_426.0, true),
    ("nug12", 12, 578.0, true),
    ("nug14", 14, 1014.0, true),
    ("nug15", 15, 1150.0, true),
    ("nug16a", 16, 1610.0, true),
    ("nug16b", 16, 1240.0, true),
    ("nug17", 17, 1732.0, true),
    ("nug18", 18, 1930.0, true),
    ("nug20", 20, 2570.0, true),
    ("nug21", 21, 2438.0, true),
    ("nug22", 22, 3596.0, true),
    ("nug24", 24, 3488.0, true),
    ("nug25", 25, 3744.0, true),
    ("nug27", 27, 5234.0, true),
    ("nug28", 28, 5166.0, true),
    ("nug30", 30, 6124.0, true),
    ("rou12", 12, 235_528.0, true),
    ("rou15", 15, 354_210.0, true),
    ("rou20", 20, 725_522.0, true),
    ("scr12", 12, 31_410.0, true),
    ("scr15", 15, 51_140.0, true),
    ("scr20", 20, 110_030.0, true),
    ("ste36a", 36, 9526.0, true),
    ("ste36b", 36, 15_852.0, true),
    ("ste36c", 36, 8_239_110.0, true),
    ("tai12a", 12, 224_416.0, true),
    ("tai12b", 12, 39_464_925.0, true),
    ("tai15a", 15, 388_214.0, true),
    ("tai15b", 15, 51_765_268.0, true),
    ("tai17a", 17, 491_812.0, true),
    ("tai20a", 20, 703_482.0, true),
    ("tai20b", 20, 122_455_319.0, true),
    ("tai25a", 25, 1_167_256.0, true),
    ("tai25b", 25, 344_355_646.0, true),
    ("tai30a", 30, 1_818_146.0, false),
    ("tai30b", 30, 637_117_113.0, true),
    ("tai35a", 35, 2_422_002.0, false),
    ("tai35b", 35, 283_315_445.0, false),
    ("tai40a", 40, 3_139_370.0, false),
    ("tai40b", 40, 637_250_948.0, false),
    ("tho30", 30, 149_936.0, true),
    ("tho40", 40, 240_516.0, false),
    ("sko42", 42, 15_812.0, false),
    ("sko49", 49, 23_386.0, false),
    ("wil50", 50, 48_816.0, false),
    ("esc32a", 32, 130.0, true),
    ("esc32b", 32, 168.0, true),
    ("esc32c", 32, 642.0, true),
    ("esc32d", 32, 200.0, true),
    ("esc32h", 32, 438.0, true),
    ("esc64a", 64, 116.0, true),
    ("esc128", 128, 64.0, true),
    ("lipa40a", 40, 31_538.0, true),
    ("lipa40b", 40, 476_581.0, true),
    ("lipa50a", 50, 62_093.0, true),
    ("lipa50b", 50, 1_210_244.0, true),
    ("lipa60a", 60, 107_218.0, true),
    ("lipa60b", 60, 2_520_135.0, true),
    ("lipa70a", 70, 169_755.0, true),
    ("lipa70b", 70, 4_603_200.0, true),
    ("lipa80a", 80, 253_195.0, true),
    ("lipa80b", 80, 7_763_962.0, true),
    ("lipa90a", 90, 360_630.0, true),
    ("lipa90b", 90, 12_490_441.0, true),
    ("sko56", 56, 34_458.0, false),
    ("sko64", 64, 48_498.0, false),
    ("sko72", 72, 66_256.0, false),
    ("sko81", 81, 90_998.0, false),
    ("sko90", 90, 115_534.0, false),
    ("sko100a", 100, 152_002.0, false),
    ("sko100b", 100, 153_890.0, false),
    ("sko100c", 100, 147_862.0, false),
    ("sko100d", 100, 149_576.0, false),
    ("sko100e", 100, 149_150.0, false),
    ("sko100f", 100, 149_036.0, false),
    ("tai50a", 50, 4_938_796.0, false),
    ("tai50b", 50, 458_821_517.0, false),
    ("tai60a", 60, 7_205_962.0, false),
    ("tai60b", 60, 608_215_054.0, false),
    ("tai64c", 64, 1_855_928.0, false),
    ("tai80a", 80, 13_499_184.0, false),
    ("tai80b", 80, 818_415_043.0, false),
    ("tai100b", 100, 1_185_996_137.0, false),
    ("tai150b", 150, 498_896_643.0, false),
    ("tai256c", 256, 44_759_294.0, false),
    ("tho150", 150, 8_133_398.0, false),
    ("wil100", 100, 273_038.0, false),
];

/// TSPLIB, Reinelt, and its list of optimal round trips (dsj1000 by CEIL_2D, as its file says); symmetric and then not.
const TRAVELING_SALESMAN: &[Entry] = &[
    ("a280", 280, 2579.0, true),
    ("att48", 48, 10_628.0, true),
    ("att532", 532, 27_686.0, true),
    ("bayg29", 29, 1610.0, true),
    ("bays29", 29, 2020.0, true),
    ("berlin52", 52, 7542.0, true),
    ("bier127", 127, 118_282.0, true),
    ("brazil58", 58, 25_395.0, true),
    ("brg180", 180, 1950.0, true),
    ("burma14", 14, 3323.0, true),
    ("ch130", 130, 6110.0, true),
    ("ch150", 150, 6528.0, true),
    ("d198", 198, 15_780.0, true),
    ("d493", 493, 35_002.0, true),
    ("d657", 657, 48_912.0, true),
    ("dantzig42", 42, 699.0, true),
    ("eil51", 51, 426.0, true),
    ("eil76", 76, 538.0, true),
    ("eil101", 101, 629.0, true),
    ("fl417", 417, 11_861.0, true),
    ("fri26", 26, 937.0, true),
    ("gil262", 262, 2378.0, true),
    ("gr17", 17, 2085.0, true),
    ("gr21", 21, 2707.0, true),
    ("gr24", 24, 1272.0, true),
    ("gr48", 48, 5046.0, true),
    ("gr96", 96, 55_209.0, true),
    ("gr120", 120, 6942.0, true),
    ("gr137", 137, 69_853.0, true),
    ("gr202", 202, 40_160.0, true),
    ("gr229", 229, 134_602.0, true),
    ("gr431", 431, 171_414.0, true),
    ("gr666", 666, 294_358.0, true),
    ("hk48", 48, 11_461.0, true),
    ("kroA100", 100, 21_282.0, true),
    ("kroB100", 100, 22_141.0, true),
    ("kroC100", 100, 20_749.0, true),
    ("kroD100", 100, 21_294.0, true),
    ("kroE100", 100, 22_068.0, true),
    ("kroA150", 150, 26_524.0, true),
    ("kroB150", 150, 26_130.0, true),
    ("kroA200", 200, 29_368.0, true),
    ("kroB200", 200, 29_437.0, true),
    ("lin105", 105, 14_379.0, true),
    ("lin318", 318, 42_029.0, true),
    ("p654", 654, 34_643.0, true),
    ("pa561", 561, 2763.0, true),
    ("pcb442", 442, 50_778.0, true),
    ("pr76", 76, 108_159.0, true),
    ("pr107", 107, 44_303.0, true),
    ("pr124", 124, 59_030.0, true),
    ("pr136", 136, 96_772.0, true),
    ("pr144", 144, 58_537.0, true),
    ("pr152", 152, 73_682.0, true),
    ("pr226", 226, 80_369.0, true),
    ("pr264", 264, 49_135.0, true),
    ("pr299", 299, 48_191.0, true),
    ("pr439", 439, 107_217.0, true),
    ("rat99", 99, 1211.0, true),
    ("rat195", 195, 2323.0, true),
    ("rat575", 575, 6773.0, true),
    ("rat783", 783, 8806.0, true),
    ("rd100", 100, 7910.0, true),
    ("rd400", 400, 15_281.0, true),
    ("si175", 175, 21_407.0, true),
    ("si535", 535, 48_450.0, true),
    ("st70", 70, 675.0, true),
    ("swiss42", 42, 1273.0, true),
    ("ts225", 225, 126_643.0, true),
    ("tsp225", 225, 3916.0, true),
    ("u159", 159, 42_080.0, true),
    ("u574", 574, 36_905.0, true),
    ("u724", 724, 41_910.0, true),
    ("ulysses16", 16, 6859.0, true),
    ("ulysses22", 22, 7013.0, true),
    ("ali535", 535, 202_339.0, true),
    ("brd14051", 14_051, 469_385.0, true),
    ("d1291", 1291, 50_801.0, true),
    ("d1655", 1655, 62_128.0, true),
    ("d2103", 2103, 80_450.0, true),
    ("d15112", 15_112, 1_573_084.0, true),
    ("d18512", 18_512, 645_238.0, true),
    ("dsj1000", 1000, 18_660_188.0, true),
    ("fl1400", 1400, 20_127.0, true),
    ("fl1577", 1577, 22_249.0, true),
    ("fl3795", 3795, 28_772.0, true),
    ("fnl4461", 4461, 182_566.0, true),
    ("linhp318", 318, 41_345.0, true),
    ("nrw1379", 1379, 56_638.0, true),
    ("pcb1173", 1173, 56_892.0, true),
    ("pcb3038", 3038, 137_694.0, true),
    ("pla7397", 7397, 23_260_728.0, true),
    ("pla33810", 33_810, 66_048_945.0, true),
    ("pla85900", 85_900, 142_382_641.0, true),
    ("pr1002", 1002, 259_045.0, true),
    ("pr2392", 2392, 378_032.0, true),
    ("rl1304", 1304, 252_948.0, true),
    ("rl1323", 1323, 270_199.0, true),
    ("rl1889", 1889, 316_536.0, true),
    ("rl5915", 5915, 565_530.0, true),
    ("rl5934", 5934, 556_045.0, true),
    ("rl11849", 11_849, 923_288.0, true),
    ("si1032", 1032, 92_650.0, true),
    ("u1060", 1060, 224_094.0, true),
    ("u1432", 1432, 152_970.0, true),
    ("u1817", 1817, 57_201.0, true),
    ("u2152", 2152, 64_253.0, true),
    ("u2319", 2319, 234_256.0, true),
    ("usa13509", 13_509, 19_982_859.0, true),
    ("vm1084", 1084, 239_297.0, true),
    ("vm1748", 1748, 336_556.0, true),
    ("br17", 17, 39.0, true),
    ("ft53", 53, 6905.0, true),
    ("ft70", 70, 38_673.0, true),
    ("ftv33", 34, 1286.0, true),
    ("ftv35", 36, 1473.0, true),
    ("ftv38", 39, 1530.0, true),
    ("ftv44", 45, 1613.0, true),
    ("ftv47", 48, 1776.0, true),
    ("ftv55", 56, 1608.0, true),
    ("ftv64", 65, 1839.0, true),
    ("ftv70", 71, 1950.0, true),
    ("ftv170", 171, 2755.0, true),
    ("kro124p", 100, 36_230.0, true),
    ("p43", 43, 5620.0, true),
    ("ry48p", 48, 14_422.0, true),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name_and_size() {
        let find = |kind, name, items| find(kind, name, items, |_| 0.0);
        assert_eq!(find(Kind::QuadraticAssignment, "Nug12", 12).map(|best| best.value), Some(578.0));
        assert_eq!(find(Kind::QuadraticAssignment, "nug12", 13), None);
        assert_eq!(
            find(Kind::LinearOrdering, "N-t75e11xx_250", 250).map(|best| best.is_optimal),
            Some(false)
        );
        assert_eq!(find(Kind::TravelingSalesman, "kroa100", 100).map(|best| best.is_optimal), Some(true));
        assert_eq!(find(Kind::LinearAssignment, "nug12", 12), None);
    }

    #[test]
    fn values_are_found_by_content_whatever_the_name() {
        let like_nug12 = |order: &[usize]| if order[1] == 1 { 724.0 } else { 900.0 };
        let best = find(Kind::QuadraticAssignment, "mine", 12, like_nug12);
        assert_eq!(best, Some(BestKnown { value: 578.0, is_optimal: true }));
        assert_eq!(find(Kind::QuadraticAssignment, "mine", 12, |_| 724.0), None);
        assert_eq!(find(Kind::LinearOrdering, "mine", 12, like_nug12), None);
    }

    #[test]
    fn no_name_stands_twice() {
        for table in [LINEAR_ORDERING, QUADRATIC_ASSIGNMENT, TRAVELING_SALESMAN] {
            let mut names: Vec<String> = table.iter().map(|entry| entry.0.to_lowercase()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), table.len());
        }
    }
}
