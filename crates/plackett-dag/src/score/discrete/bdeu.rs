//! BDeu (Heckerman, Geiger and Chickering): the marginal likelihood of the data with Dirichlet priors worth α rows,
//! spread evenly: Π_j Γ(α/q)/Γ(N_ij+α/q) Π_k Γ(N_ijk+α/(qr))/Γ(α/(qr)). Markov-equivalent graphs score the same.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::tabulated::Tabulated;
use super::{CountScore, DiscreteScoreEntry, FamilyScore};
use crate::Result;
use crate::error::check_positive;
use plackett::elementary::{ln, ln_1p};

/// Counts that the table of one prior covers, and the number of priors that have one: together at most 16 MB. There are few cells with more
/// rows than that, and data of many arities make many products of them.
const ENTRIES: usize = 1 << 9;
const TABLES: usize = 1 << 12;

pub(super) const ENTRY: DiscreteScoreEntry = DiscreteScoreEntry {
    name: "bdeu",
    summary: "marginal likelihood with even Dirichlet priors worth α rows",
    build: |settings| Ok(Box::new(Bdeu::new(settings.equivalent_sample_size)?)),
};

/// The Bayesian Dirichlet score with an equivalent sample size spread evenly.
///
/// ```
/// use plackett_dag::{Categories, Dag, score::{Bdeu, graph_cost}};
/// // Two draws of a coin, one each way, with a prior of ½ row a side: ½/1 · ½/2.
/// let data = Categories::new(vec!["coin".into()], vec![vec!["head".into(), "tail".into()]], vec![vec![0, 1]])?;
/// assert!((graph_cost(&data, &Bdeu::default(), &Dag::empty(1))? - 8_f64.ln()).abs() < 1e-12);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bdeu {
    equivalent_sample_size: f64,
}

impl Bdeu {
    /// The equivalent sample size if none is given.
    pub const DEFAULT_SAMPLE_SIZE: f64 = 1.0;

    /// The score whose prior is worth `equivalent_sample_size` rows.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless it is positive and finite.
    ///
    /// ```
    /// assert!(plackett_dag::score::Bdeu::new(10.0).is_ok());
    /// assert!(plackett_dag::score::Bdeu::new(0.0).is_err());
    /// ```
    pub fn new(equivalent_sample_size: f64) -> Result<Self> {
        check_positive("equivalent_sample_size", equivalent_sample_size)?;
        Ok(Self { equivalent_sample_size })
    }

    /// α, the number of rows that the prior is worth.
    ///
    /// ```
    /// assert_eq!(plackett_dag::score::Bdeu::default().equivalent_sample_size(), 1.0);
    /// ```
    pub fn equivalent_sample_size(&self) -> f64 {
        self.equivalent_sample_size
    }
}

impl Default for Bdeu {
    fn default() -> Self {
        Self { equivalent_sample_size: Self::DEFAULT_SAMPLE_SIZE }
    }
}

impl FamilyScore for Bdeu {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn on_rows(&self, rows: usize) -> Box<dyn CountScore> {
        Box::new(OnRows { rows, sample_size: self.equivalent_sample_size, tables: RwLock::default() })
    }
}

type Gains = Tabulated<Box<dyn Fn(f64) -> f64 + Send + Sync>>;

struct OnRows {
    rows: usize,
    sample_size: f64,
    /// By the bits of the prior count of a cell.
    tables: RwLock<HashMap<u64, Arc<Gains>>>,
}

/// log Γ(x + a) − log Γ(a), which counts x add with prior count a.
fn gains(largest: usize, prior: f64) -> Gains {
    let base = libm::lgamma(prior);
    let gain = move |count: f64| {
        if prior > LARGE_PRIOR { large_gain(prior, count) } else { libm::lgamma(count + prior) - base }
    };
    Tabulated::new(largest, ENTRIES, Box::new(gain))
}

/// From here on the difference of two log Γ loses digits, and Stirling's series needs no third term.
const LARGE_PRIOR: f64 = 1e4;

/// log Γ(x + a) − log Γ(a) for large a, term by term of Stirling's series.
fn large_gain(prior: f64, count: f64) -> f64 {
    let sum = prior + count;
    (prior - 0.5) * ln_1p(count / prior) + count * (ln(sum) - 1.0) + (1.0 / sum - 1.0 / prior) / 12.0
}

impl CountScore for OnRows {
    fn joint(&self, counts: &[u32], cells: f64) -> f64 {
        // A prior count that underflows would make the logarithm infinite.
        let prior = (self.sample_size / cells).max(f64::MIN_POSITIVE);
        let key = prior.to_bits();
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(table) = known {
            return table.sum(counts);
        }
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if tables.len() < TABLES {
            let table = tables.entry(key).or_insert_with(|| Arc::new(gains(self.rows, prior)));
            let table = Arc::clone(table);
            drop(tables);
            table.sum(counts)
        } else {
            drop(tables);
            gains(0, prior).sum(counts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_sums_of_logarithms_whatever_the_prior() {
        for prior in [1e-3, 0.5, 3.0, 9_999.0, 10_001.0, 1e8, 1e13, 1e300] {
            for count in [0, 1, 2, 30, 1000] {
                let wanted: f64 = (0..count).map(|below| (prior + f64::from(below)).ln()).sum();
                let found = gains(2000, prior).sum(&[count]);
                assert!(
                    (found - wanted).abs() <= 1e-11 * wanted.abs().max(10.0),
                    "{prior} {count}: {found} {wanted}"
                );
            }
        }
    }

    /// Empty cells add nothing, to the last digit.
    #[test]
    fn no_rows_add_nothing() {
        for prior in [f64::MIN_POSITIVE, 1e-3, 0.7, 1e4, 1e5, 1e300, f64::MAX] {
            assert_eq!(gains(3, prior).sum(&[0]), 0.0, "{prior}");
        }
    }

    #[test]
    fn tables_are_made_for_so_many_priors_and_no_more() {
        let score = OnRows { rows: 3, sample_size: 2.0, tables: RwLock::default() };
        for cells in (1..=TABLES + 3).map(|cells| cells as f64) {
            let wanted = 2.0 * (2.0 / cells).ln() + (2.0 / cells + 1.0).ln();
            // Where there is a table the second time asks it.
            for _ in 0..2 {
                assert!((score.joint(&[2, 0, 1], cells) - wanted).abs() < 1e-9, "{cells}");
            }
        }
        assert_eq!(score.tables.read().unwrap().len(), TABLES);
    }

    #[test]
    fn the_sample_size_is_what_was_asked_for() {
        assert_eq!(Bdeu::new(2.5).unwrap().equivalent_sample_size(), 2.5);
    }
}
