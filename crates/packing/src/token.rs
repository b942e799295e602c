//! The integer types that token ids are delivered as.

use std::fmt::{Debug, Display};

use lance_loader_order::{Code, Error, Result};

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// A type that token ids are delivered as: `i32` (the default) or `i64`.
pub trait Token:
    sealed::Sealed + Copy + Debug + Default + Display + Eq + Into<i64> + TryFrom<i64> + 'static
{
    /// The name of the type in messages.
    const NAME: &'static str;
    /// The smallest and the largest id that the type holds.
    const LIMITS: (i64, i64);

    /// `value` in this type; an error that names `what`, the value and the type when it does not fit.
    fn checked(what: impl Display, value: i64) -> Result<Self> {
        Self::try_from(value).map_err(|_| does_not_fit::<Self>(what, value))
    }
}

impl Token for i32 {
    const NAME: &'static str = "int32";
    const LIMITS: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);
}

impl Token for i64 {
    const NAME: &'static str = "int64";
    const LIMITS: (i64, i64) = (i64::MIN, i64::MAX);
}

pub(crate) fn does_not_fit<T: Token>(what: impl Display, value: impl Display) -> Error {
    let (low, high) = T::LIMITS;
    let name = T::NAME;
    Error::new(
        Code::InvalidArgument,
        format!(
            "{what} is {value}, which does not fit {name} ({low} to {high}): ask for wider ids, or mend the token ids"
        ),
    )
}

/// Appends `values`, converted. On a value that does not fit, `tokens` is left as it was and that value is returned.
///
/// The check is folded into the conversion without a branch a token, so that the loop is vectorized.
pub(crate) fn append_converted<T, V>(tokens: &mut Vec<T>, values: &[V]) -> std::result::Result<(), V>
where
    T: Token + TryFrom<V>,
    V: Copy,
{
    let before = tokens.len();
    let mut fits = true;
    tokens.extend(values.iter().map(|&value| {
        let converted = T::try_from(value);
        fits &= converted.is_ok();
        converted.unwrap_or_default()
    }));
    if fits {
        return Ok(());
    }
    tokens.truncate(before);
    match values.iter().find(|&&value| T::try_from(value).is_err()) {
        Some(&value) => Err(value),
        None => Ok(()),
    }
}
