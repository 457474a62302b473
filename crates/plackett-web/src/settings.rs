//! The settings of the page: the program's options under their names, in JSON.

use plackett_dag::{
    Knowledge, LearnMethod, Learning, Result, ScoreChoice,
    dataset::{Discretize, Kind, Reading, Targets},
    gram::Centering,
    learning::{CategorySettings, LEARN_METHODS, NumberSettings, SearchSettings, TestSettings},
};
use serde::Deserialize;

/// What was set, each as the option of that name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Settings {
    delimiter: Option<String>,
    decimal_comma: bool,
    no_header: bool,
    drop: Vec<String>,
    categorical: Vec<String>,
    numeric: Vec<String>,
    discrete: bool,
    continuous: bool,
    na: Option<Vec<String>>,
    missing: Option<String>,
    discretize: Option<String>,
    bins: Option<usize>,
    weights: Option<String>,
    /// The column with the names of what was set from outside in each row.
    interventions: Option<String>,
    standardize: bool,
    no_center: bool,
    method: Option<String>,
    score: Option<String>,
    lambda: Option<f64>,
    sigma2: Option<f64>,
    penalty: Option<f64>,
    threshold: Option<f64>,
    ess: Option<f64>,
    candidates: Option<String>,
    max_parents: Option<usize>,
    orient: Option<String>,
    alpha: Option<f64>,
    max_conditioning: Option<usize>,
    posterior: bool,
    pub(crate) path: bool,
    restarts: Option<usize>,
    steps: Option<u64>,
    pub(crate) seed: u64,
    pub(crate) knowledge: Knowledge,
}

impl Settings {
    pub(crate) fn centering(&self) -> Centering {
        match (self.standardize, self.no_center) {
            (true, _) => Centering::Standardize,
            (false, true) => Centering::None,
            (false, false) => Centering::Center,
        }
    }

    /// Whether a setting is given that needs columns of numbers.
    pub(crate) fn is_prepared(&self) -> bool {
        self.standardize || self.no_center
    }

    pub(crate) fn reading(&self) -> Result<Reading> {
        let is_for_numbers = self.lambda.is_some() || self.sigma2.is_some() || self.is_prepared();
        let bins = self.bins.unwrap_or(Discretize::DEFAULT_BINS);
        let cut = |method: &String| method.parse::<Discretize>()?.with_bins(bins);
        Ok(Reading {
            delimiter: self.delimiter.as_deref().map(str::parse).transpose()?,
            decimal_comma: self.decimal_comma.then_some(true),
            header: self.no_header.then_some(false),
            drop: self.drop.clone(),
            kind: match (self.discrete, self.continuous || is_for_numbers) {
                (true, _) => Some(Kind::Categories),
                (false, true) => Some(Kind::Numbers),
                (false, false) => None,
            },
            lean: self.penalty.map(|_| Kind::Numbers),
            discretize: self.discretize.as_ref().map(cut).transpose()?,
            categorical: self.categorical.clone(),
            numeric: self.numeric.clone(),
            missing_marks: self.na.clone(),
            missing: self.missing.as_deref().map(str::parse).transpose()?.unwrap_or_default(),
            weights: self.weights.clone(),
            interventions: self.interventions.clone().map(Targets::Named),
            ..Reading::default()
        })
    }

    pub(crate) fn learning(&self) -> Result<Learning> {
        Ok(Learning {
            method: match &self.method {
                Some(name) => LearnMethod::by_name(name)?,
                None => &LEARN_METHODS[0],
            },
            score: self.score.as_deref().map_or(ScoreChoice::Auto, ScoreChoice::from),
            numbers: NumberSettings {
                lambda: self.lambda,
                noise_variance: self.sigma2,
                penalty: self.penalty,
                threshold: self.threshold,
            },
            categories: CategorySettings {
                equivalent_sample_size: self.ess,
                space: self.candidates.as_deref().map(str::parse).transpose()?,
                max_parents: self.max_parents,
                orient: self.orient.as_deref().map(str::parse).transpose()?,
            },
            tests: TestSettings { alpha: self.alpha, max_conditioning: self.max_conditioning },
            search: SearchSettings {
                restarts: self.restarts,
                steps: self.steps,
                posterior: self.posterior,
                ..SearchSettings::default()
            },
            seed: self.seed,
            start: None,
            bounds: None,
        })
    }
}
