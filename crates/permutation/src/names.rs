//! The names of splits.

use std::collections::HashSet;

use lance_loader_order::Result;

use crate::error::invalid;

/// The most splits a permutation may have. It bounds what a wrong calculation can make the loader allocate.
pub const MAX_SPLITS: usize = 1 << 16;

/// Checks that no name is empty or given twice, and, where the number of splits is known, that there is one for each.
pub fn validate_names(names: &[String], num_splits: Option<usize>) -> Result<()> {
    if let Some(num_splits) = num_splits
        && names.len() != num_splits
    {
        return Err(invalid(format!(
            "splitNames has {} names for {num_splits} splits; give one name a split",
            names.len()
        )));
    }
    if names.is_empty() || names.len() > MAX_SPLITS {
        return Err(invalid(format!(
            "splitNames has {} names; give between 1 and {MAX_SPLITS}",
            names.len()
        )));
    }
    let mut seen = HashSet::new();
    for (at, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(invalid(format!("splitNames[{at}] is empty; each name must have a character")));
        }
        if !seen.insert(name) {
            return Err(invalid(format!(
                "splitNames[{at}] is {name:?}, which came before; each name must be unique"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lance_loader_order::Code;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn one_unique_name_a_split_is_accepted() {
        validate_names(&names(&["train", "val", "ünï 🙂"]), Some(3)).unwrap();
        validate_names(&names(&["train"]), None).unwrap();
    }

    #[test]
    fn other_names_are_refused_with_the_reason() {
        let cases: [(&[&str], Option<usize>, &str); 5] = [
            (&["a"], Some(2), "1 names for 2 splits"),
            (&["a", "b", "c"], Some(2), "3 names for 2 splits"),
            (&[], None, "0 names"),
            (&["a", ""], Some(2), "splitNames[1] is empty"),
            (&["a", "b", "a"], None, "splitNames[2] is \"a\""),
        ];
        for (given, num_splits, words) in cases {
            let error = validate_names(&names(given), num_splits).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains(words), "{error}");
        }
    }
}
