//! What the page in the browser computes: bytes and JSON in, JSON out. A [`Session`] holds the data and the graph that the page is about, and
//! answers its requests by the same libraries, settings and words as the program. No thread, no clock, no file: what the time is and
//! whether to go on is asked [`Outside`].
//!
//! ```
//! use plackett_web::{Alone, Session};
//! let mut session = Session::default();
//! let read = session.answer(r#"{"do": "read", "file": "rain.csv"}"#, b"rain,wet\n1.5,2\n2.5,2.9\n0.1,0.3\n", &Alone);
//! assert!(read.contains(r#""rows":3"#));
//! let learned = session.answer(r#"{"do": "learn"}"#, &[], &Alone);
//! assert!(learned.contains(r#""from":"rain","to":"wet""#));
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What JavaScript calls cannot be declared without the word `unsafe`; there is nothing else of the kind.
#[cfg(target_family = "wasm")]
#[expect(unsafe_code, reason = "exported names and imported functions are declared by it")]
mod boundary;
mod found;
mod overview;
mod race;
mod session;
mod settings;

pub use session::{Alone, Outside, Session};
