//! What a run found, as one HTML file that needs nothing else: no network, no other file. A graph to explore with all that there is to say
//! of it ([`Report`]), and the frame of other reports ([`Page`]).
//!
//! The file is a function of the result alone, without times and places: the program's `--report`, Python's `report` and whoever else links
//! this crate write the same bytes for the same result. Everything that came with the data is escaped, and a content security policy lets
//! nothing run but the script that is part of this crate.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod chart;
mod html;
pub mod layout;
mod learned;
mod page;
mod program;
mod recipe;
mod sha256;

pub use chart::trace_chart;
pub use html::Html;
pub use learned::{Column, Input, Report, Section, comparison, sketch};
pub use page::Page;
pub use program::{data_warnings, flag, option, warnings};
pub use recipe::{Recipe, Resampling, Source, shell_command};
