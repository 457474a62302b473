//! Published optimal and best known values, by name and size: of QAPLIB, TSPLIB, Taillard's flow shops and LOLIB.

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

/// Finds the published value of a problem. A file of the same name but another size is another problem.
pub(crate) fn find(kind: Kind, name: &str, items: usize) -> Option<BestKnown> {
    let table = match kind {
        Kind::LinearOrdering => LINEAR_ORDERING,
        Kind::QuadraticAssignment => QUADRATIC_ASSIGNMENT,
        Kind::TravelingSalesman => TRAVELING_SALESMAN,
        Kind::FlowShop => FLOW_SHOP,
        Kind::LinearAssignment => return None,
    };
    let entry = table.iter().find(|entry| entry.0.eq_ignore_ascii_case(name) && entry.1 == items)?;
    Some(BestKnown { value: entry.2, is_optimal: entry.3 })
}

/// Name, items, value, whether it is proven optimal.
type Entry = (&'static str, usize, f64, bool);

const LINEAR_ORDERING: &[Entry] = &[("N-be75eec_150", 150, 3_482_828.0, false)];

/// QAPLIB.
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
];

/// TSPLIB, symmetric and then not.
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

/// Taillard's problems of 20 jobs on 5, 10 and 20 machines.
const FLOW_SHOP: &[Entry] = &[
    ("ta001", 20, 1278.0, true),
    ("ta002", 20, 1359.0, true),
    ("ta003", 20, 1081.0, true),
    ("ta004", 20, 1293.0, true),
    ("ta005", 20, 1235.0, true),
    ("ta006", 20, 1195.0, true),
    ("ta007", 20, 1234.0, true),
    ("ta008", 20, 1206.0, true),
    ("ta009", 20, 1230.0, true),
    ("ta010", 20, 1108.0, true),
    ("ta011", 20, 1582.0, true),
    ("ta012", 20, 1659.0, true),
    ("ta013", 20, 1496.0, true),
    ("ta014", 20, 1377.0, true),
    ("ta015", 20, 1419.0, true),
    ("ta016", 20, 1397.0, true),
    ("ta017", 20, 1484.0, true),
    ("ta018", 20, 1538.0, true),
    ("ta019", 20, 1593.0, true),
    ("ta020", 20, 1591.0, true),
    ("ta021", 20, 2297.0, true),
    ("ta022", 20, 2099.0, true),
    ("ta023", 20, 2326.0, true),
    ("ta024", 20, 2223.0, true),
    ("ta025", 20, 2291.0, true),
    ("ta026", 20, 2226.0, true),
    ("ta027", 20, 2273.0, true),
    ("ta028", 20, 2200.0, true),
    ("ta029", 20, 2237.0, true),
    ("ta030", 20, 2178.0, true),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name_and_size() {
        assert_eq!(find(Kind::QuadraticAssignment, "Nug12", 12).map(|best| best.value), Some(578.0));
        assert_eq!(find(Kind::QuadraticAssignment, "nug12", 13), None);
        assert_eq!(find(Kind::FlowShop, "ta030", 20).map(|best| best.value), Some(2178.0));
        assert_eq!(find(Kind::TravelingSalesman, "kroa100", 100).map(|best| best.is_optimal), Some(true));
        assert_eq!(find(Kind::LinearAssignment, "nug12", 12), None);
    }

    #[test]
    fn no_name_stands_twice() {
        for table in [LINEAR_ORDERING, QUADRATIC_ASSIGNMENT, TRAVELING_SALESMAN, FLOW_SHOP] {
            let mut names: Vec<String> = table.iter().map(|entry| entry.0.to_lowercase()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), table.len());
        }
    }
}
