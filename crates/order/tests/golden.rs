//! The committed vectors pin the order: a release that changes one without a new [`ORDER_VERSION`] fails
//! here.

mod vectors;

use lance_loader_order::{ORDER_VERSION, Result};
use serde_json::Value;

#[test]
fn the_order_is_that_of_the_committed_vectors() -> Result<()> {
    for (name, cases) in vectors::all()? {
        let path = vectors::path(name);
        let committed: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(committed["order_version"], ORDER_VERSION, "{}", path.display());
        let committed = committed["cases"].as_array().unwrap();
        for (case, expected) in cases.iter().zip(committed) {
            assert_eq!(case, expected, "{}", path.display());
        }
        assert_eq!(cases.len(), committed.len(), "{}", path.display());
    }
    Ok(())
}

#[test]
fn a_file_reads_back_as_what_was_written() -> Result<()> {
    for (_, cases) in vectors::all()? {
        let read: Value = serde_json::from_str(&vectors::to_text(&cases)).unwrap();
        assert_eq!(read["cases"], Value::Array(cases));
    }
    Ok(())
}
