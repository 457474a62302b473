//! What JavaScript calls, and what it is asked. A request is written into the room that [`room`] makes, its JSON first and the bytes of a file
//! after it; [`answer`] returns where the answer is. No memory is read or written here but by safe code: pointers go out, none come in.

use std::{cell::RefCell, time::Duration};

use crate::session::{Outside, Session};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
    static SESSION: RefCell<Session> = RefCell::default();
}

#[link(wasm_import_module = "plackett")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now() -> f64;
    /// Hears how far a run is, as JSON at a place; anything but zero ends the run.
    safe fn look(place: *const u8, length: usize) -> u32;
    /// Hears of a defect that ends everything.
    safe fn fail(place: *const u8, length: usize);
}

/// The page.
struct Page;

impl Outside for Page {
    fn now(&self) -> Duration {
        Duration::from_secs_f64(now().max(0.0) / 1000.0)
    }

    fn goes_on(&self, progress: &str) -> bool {
        look(progress.as_ptr(), progress.len()) == 0
    }
}

/// Makes room for so many bytes, and says where; nowhere if there is not so much.
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = Vec::new();
        if input.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Answers what is in the room, whose first bytes, so many, are the request; says where the answer is.
#[unsafe(no_mangle)]
extern "C" fn answer(request: usize) -> *const u8 {
    std::panic::set_hook(Box::new(|defect| {
        let text = defect.to_string();
        fail(text.as_ptr(), text.len());
    }));
    let input = INPUT.take();
    let (request, bytes) = input.split_at(request.min(input.len()));
    let request = String::from_utf8_lossy(request);
    OUTPUT.set(SESSION.with_borrow_mut(|session| session.answer(&request, bytes, &Page)));
    OUTPUT.with_borrow(|answer| answer.as_ptr())
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    OUTPUT.with_borrow(String::len)
}

/// Lets the answer go.
#[unsafe(no_mangle)]
extern "C" fn forget() {
    OUTPUT.set(String::new());
}
