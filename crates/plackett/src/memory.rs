//! What would not fit into memory is refused before it is allocated: a system that promises more than it has ends the process when
//! the promise is called in.

use std::io::{self, Read};

use crate::{Error, faults};

/// The bytes that the machine can still give, or the container that this runs in, where they tell.
///
/// ```
/// if let Some(bytes) = plackett::memory::available() {
///     assert!(bytes > 0);
/// }
/// ```
pub fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = of_machine(&read("/proc/meminfo")?)?;
    let of = |name: &str| read(&format!("/sys/fs/cgroup/memory.{name}"));
    let container = || of_container(&of("max")?, &of("current")?, &of("stat")?);
    Some(container().map_or(machine, |container| machine.min(container)))
}

/// What Linux says of the machine, in kibibytes.
fn of_machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What it says of a container (the second version of control groups), in bytes: copies of files are given up where there is need. A container without a
/// limit has the word `max` for one.
fn of_container(most: &str, taken: &str, parts: &str) -> Option<u64> {
    let files = parts.lines().find_map(|line| line.strip_prefix("inactive_file "))?;
    let [most, taken, files] = [most, taken, files].map(|text| text.trim().parse::<u64>().ok());
    Some(most?.saturating_sub(taken?.saturating_sub(files?)))
}

/// Every machine has as much, so that whoever needs no more, and often, need not ask.
///
/// ```
/// use plackett::memory::{FEW_BYTES, check};
/// let bytes = 8 * 1000;
/// assert!(bytes <= FEW_BYTES || check("a list of scores", bytes).is_ok());
/// ```
pub const FEW_BYTES: u128 = 1 << 24;

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
    let available = if faults::at("allocation").is_ok() { available } else { 0 };
    if needed <= u128::from(available) { Ok(()) } else { Err(Error::Memory { what, needed, available }) }
}

/// How much is read between two looks at the memory.
const PIECE: u64 = 1 << 20;

/// All bytes of a source that may never end: refused once there is not the memory for twice as much.
///
/// ```
/// assert_eq!(plackett::memory::read(&b"some bytes"[..])?, b"some bytes");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Whatever the source says, and [`Error::Memory`] within an error of input.
pub fn read(source: impl Read) -> io::Result<Vec<u8>> {
    read_while(source, |_| Ok(()))
}

/// The same of a text, which is refused as soon as a zero byte shows that it is none.
///
/// ```
/// assert_eq!(plackett::memory::read_text(&b"some text"[..])?, b"some text");
/// assert!(plackett::memory::read_text(std::io::repeat(0)).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// As [`read`], and a zero byte.
pub fn read_text(source: impl Read) -> io::Result<Vec<u8>> {
    read_while(source, |piece| {
        let is_text = !piece.contains(&0);
        if is_text { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "this is no text")) }
    })
}

fn read_while(source: impl Read, check_piece: impl Fn(&[u8]) -> io::Result<()>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut source = source.take(0);
    loop {
        let start = bytes.len();
        source.set_limit(PIECE);
        if source.read_to_end(&mut bytes)? == 0 {
            return Ok(bytes);
        }
        check_piece(&bytes[start..])?;
        // As the list grows, one of twice its size is there beside it.
        check("what is read", 2 * bytes.len() as u128 + u128::from(PIECE)).map_err(io::Error::other)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_read_and_zeros_are_no_text() {
        let bytes: Vec<u8> = (0..5_000_000_u32).map(|at| (at % 251) as u8 + 1).collect();
        assert_eq!(read(&bytes[..]).unwrap(), bytes);
        assert_eq!(read_text(&bytes[..]).unwrap(), bytes);
        assert_eq!(read_text(&b""[..]).unwrap(), b"");
        let mut broken = bytes.clone();
        broken[4_999_999] = 0;
        assert_eq!(read(&broken[..]).unwrap(), broken);
        assert_eq!(read_text(&broken[..]).unwrap_err().to_string(), "this is no text");
        assert!(read_text(io::repeat(b'x').take(10).chain(io::repeat(0))).is_err());
    }

    #[test]
    fn what_linux_says_is_read() {
        let text = "MemTotal:       24000000 kB\nMemFree:         1000 kB\nMemAvailable:    2048 kB\nBuffers: 5 kB\n";
        assert_eq!(of_machine(text), Some(2048 * 1024));
        for text in [
            "",
            "MemAvailable:",
            "MemAvailable: many kB",
            "MemAvailable: 5",
            "MemAvailable: 18446744073709551615 kB",
        ] {
            assert_eq!(of_machine(text), None, "{text}");
        }
    }

    #[test]
    fn a_container_has_less_than_the_machine() {
        let parts = "anon 500\nfile 400\ninactive_file 300\n";
        assert_eq!(of_container("1000\n", "900\n", parts), Some(400));
        assert_eq!(of_container("1000\n", "1900\n", parts), Some(0));
        assert_eq!(of_container("max\n", "900\n", parts), None);
        assert_eq!(of_container("1000\n", "900\n", "anon 500\n"), None);
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
