//! Whether nodes of mixed data are independent given others: the likelihood ratio of the degenerate Gaussian, in which categories
//! are their indicator columns. n·log of a ratio of determinants is χ² with |A|·|B| degrees of freedom.

use super::{IndependenceTest, check_alpha};
use crate::Result;
use crate::score::degenerate::{DegenerateGaussian, Space};
use crate::tails::chi_square_tail;

/// The test.
pub(crate) struct BlockTest<'a> {
    blocks: &'a DegenerateGaussian,
    alpha: f64,
    space: Space,
}

impl<'a> BlockTest<'a> {
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) unless the level lies between 0 and 1.
    pub(crate) fn new(blocks: &'a DegenerateGaussian, alpha: f64) -> Result<Self> {
        check_alpha(alpha)?;
        Ok(Self { blocks, alpha, space: Space::default() })
    }
}

impl Clone for BlockTest<'_> {
    fn clone(&self) -> Self {
        Self { blocks: self.blocks, alpha: self.alpha, space: Space::default() }
    }
}

impl IndependenceTest for BlockTest<'_> {
    fn nodes(&self) -> usize {
        self.blocks.nodes()
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
        let (statistic, freedom) = self.blocks.dependence(a, b, given, &mut self.space);
        chi_square_tail(statistic, freedom)
    }
}
