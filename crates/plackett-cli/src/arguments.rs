//! Arguments that commands share.

use std::time::Duration;

use clap::Args;

/// What every command takes.
#[derive(Args)]
pub(crate) struct Common {
    /// Seed of all random numbers
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time limit in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a positive number of seconds is needed".to_owned())
}
