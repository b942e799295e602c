//! Writes the golden vectors of the order anew: `cargo run -p lance-loader-order --example golden`. Only
//! together with a new `ORDER_VERSION`, or for added cases.

#[path = "../tests/vectors/mod.rs"]
mod vectors;

use std::error::Error;
use std::fs;

fn main() -> Result<(), Box<dyn Error>> {
    for (name, cases) in vectors::all()? {
        let path = vectors::path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, vectors::to_text(&cases))?;
    }
    Ok(())
}
