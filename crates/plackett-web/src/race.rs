//! The toy problem of the paper under several estimators at once, step by step beside each other.

use plackett::{
    Error, TrainingSettings,
    estimator::Baseline,
    run::Run,
    trial::{Measured, Method, Outcomes, Trial, TrialSettings},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Steps that one request may ask for, and items: so that each is answered soon.
const MOST_STEPS: u64 = 100_000;
const MOST_ITEMS: usize = 100;

/// What the racers have in common.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RaceSettings {
    items: usize,
    offset: f64,
    learning_rate: f64,
    #[serde(default = "one")]
    samples: usize,
    #[serde(default)]
    seed: u64,
}

fn one() -> usize {
    1
}

/// The racers.
pub(crate) struct Race {
    trials: Vec<Trial>,
    optimum: f64,
}

/// Who takes part, as the page calls them: REINFORCE alone and with the mean subtracted, REBAR, RELAX, and the surrogate.
fn racers(samples: usize) -> [(&'static str, Method, Baseline); 5] {
    [
        ("reinforce", Method::Reinforce, Baseline::None),
        ("mean", Method::Reinforce, Baseline::usual(samples)),
        ("rebar", Method::Rebar, Baseline::None),
        ("relax", Method::Relax, Baseline::None),
        ("surrogate", Method::Surrogate, Baseline::None),
    ]
}

impl Race {
    pub(crate) fn new(settings: &RaceSettings) -> Result<Self, Error> {
        let RaceSettings { items, offset, learning_rate, samples, seed } = *settings;
        let training = TrainingSettings {
            learning_rate,
            critic_learning_rate: learning_rate,
            samples,
            seed,
            ..TrainingSettings::default()
        };
        let items = items.min(MOST_ITEMS);
        let trial = |(_, method, baseline)| {
            Trial::new(&TrialSettings {
                outcomes: Outcomes::Orders,
                method,
                baseline,
                items,
                offset,
                training,
            })
        };
        let trials = racers(samples).into_iter().map(trial).collect::<Result<Vec<_>, _>>()?;
        let optimum = trials.first().map_or(f64::NAN, Trial::optimum);
        Ok(Self { trials, optimum })
    }

    /// Makes steps, and says where everybody is then.
    pub(crate) fn advance(&mut self, steps: u64, run: &Run<'_>) -> Result<Value, Error> {
        for trial in &mut self.trials {
            trial.advance(steps.min(MOST_STEPS), run)?;
        }
        let measured = self.trials.iter_mut().map(Trial::measure).collect::<Result<Vec<_>, _>>()?;
        let name =
            |(at, measured): (usize, Measured)| json!({ "name": racers(1)[at].0, "measured": measured });
        let racers: Vec<Value> = measured.into_iter().enumerate().map(name).collect();
        Ok(json!({ "optimum": self.optimum, "racers": racers }))
    }
}
