//! What would not fit into memory is refused before it is allocated: a system that promises more than it has ends the process when
//! the promise is called in.

use crate::Error;

/// The bytes that the machine can still give, where it tells.
///
/// ```
/// if let Some(bytes) = plackett::memory::available() {
///     assert!(bytes > 0);
/// }
/// ```
pub fn available() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// What Linux says, in kibibytes.
fn parse(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Refuses what needs more bytes than the machine can give; where it does not tell, more than an address can reach.
///
/// ```
/// assert!(plackett::memory::check("a list of scores", 8 * 1000).is_ok());
/// let refused = plackett::memory::check("a list of scores", 1 << 100).unwrap_err().to_string();
/// assert!(refused.starts_with("a list of scores needs "), "{refused}");
/// ```
///
/// # Errors
/// [`Error::Memory`], with both figures.
pub fn check(what: &'static str, needed: u128) -> Result<(), Error> {
    let available = available().unwrap_or(isize::MAX as u64);
    if needed <= u128::from(available) { Ok(()) } else { Err(Error::Memory { what, needed, available }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says_is_read() {
        let text = "MemTotal:       24000000 kB\nMemFree:         1000 kB\nMemAvailable:    2048 kB\nBuffers: 5 kB\n";
        assert_eq!(parse(text), Some(2048 * 1024));
        for text in [
            "",
            "MemAvailable:",
            "MemAvailable: many kB",
            "MemAvailable: 5",
            "MemAvailable: 18446744073709551615 kB",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_refusal_has_both_figures() {
        let error = Error::Memory { what: "a table", needed: 3 << 30, available: 1 << 30 };
        assert_eq!(
            error.to_string(),
            "a table needs 3,072 MiB of memory, and the machine has 1,024 MiB to give"
        );
    }
}
