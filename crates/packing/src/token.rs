//! The integer types that documents come in and that token ids are delivered as.

use std::fmt::{Debug, Display};

use lance_loader_order::{Code, Error, Result};

mod sealed {
    pub trait Sealed {}
}

/// An integer type that documents come in: `i8` to `i64`, `u8` to `u64`.
pub trait TokenSource: sealed::Sealed + Copy + Display + 'static {
    /// Whether values from 2^63 on exist, which [`TokenSource::widen`] makes negative.
    const WRAPS: bool;

    /// The value in 64 bits.
    fn widen(self) -> i64;

    /// The values themselves, where they are of this type.
    fn as_i32(_values: &[Self]) -> Option<&[i32]> {
        None
    }

    /// The values themselves, where they are of this type.
    fn as_i64(_values: &[Self]) -> Option<&[i64]> {
        None
    }
}

macro_rules! token_source {
    ($wraps:literal, $widen:expr, $($source:ty $(: $same:ident)?),*) => {$(
        impl sealed::Sealed for $source {}
        impl TokenSource for $source {
            const WRAPS: bool = $wraps;

            fn widen(self) -> i64 {
                $widen(self)
            }

            $(fn $same(values: &[Self]) -> Option<&[Self]> {
                Some(values)
            })?
        }
    )*};
}

token_source!(false, i64::from, i8, i16, i32: as_i32, i64: as_i64, u8, u16, u32);
token_source!(true, u64::cast_signed, u64);

/// A type that token ids are delivered as: `i32` (the default) or `i64`.
pub trait Token: TokenSource + Debug + Default + Eq + Into<i64> {
    /// The name of the type in messages.
    const NAME: &'static str;
    /// The smallest and the largest id that the type holds.
    const LIMITS: (i64, i64);

    /// The low bits of a value, in this type.
    fn narrow(value: i64) -> Self;

    /// Values that are of this type already.
    fn same<V: TokenSource>(values: &[V]) -> Option<&[Self]>;
}

impl Token for i32 {
    const NAME: &'static str = "int32";
    const LIMITS: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

    fn narrow(value: i64) -> Self {
        value as Self
    }

    fn same<V: TokenSource>(values: &[V]) -> Option<&[Self]> {
        V::as_i32(values)
    }
}

impl Token for i64 {
    const NAME: &'static str = "int64";
    const LIMITS: (i64, i64) = (i64::MIN, i64::MAX);

    fn narrow(value: i64) -> Self {
        value
    }

    fn same<V: TokenSource>(values: &[V]) -> Option<&[Self]> {
        V::as_i64(values)
    }
}

/// The bits that `value` loses in `T`: none where it fits.
///
/// In bits and not as a comparison, so that a loop over it is vectorized with the plainest instruction sets.
fn lost_bits<T: Token, V: TokenSource>(value: V) -> i64 {
    let wide = value.widen();
    let kept: i64 = T::narrow(wide).into();
    (wide ^ kept) | if V::WRAPS { wide & i64::MIN } else { 0 }
}

/// `value` in another type; an error that names `what`, the value and the type where it does not fit.
pub(crate) fn checked<T: Token>(what: impl Display, value: i64) -> Result<T> {
    if lost_bits::<T, i64>(value) == 0 { Ok(T::narrow(value)) } else { Err(does_not_fit::<T>(what, value)) }
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

/// Appends `values`, converted; the first one that does not fit is returned instead, and nothing is appended.
pub(crate) fn append_converted<T: Token, V: TokenSource>(
    tokens: &mut Vec<T>,
    values: &[V],
) -> std::result::Result<(), V> {
    if let Some(values) = T::same(values) {
        tokens.extend_from_slice(values);
        return Ok(());
    }
    if values.iter().fold(0, |lost, &value| lost | lost_bits::<T, V>(value)) != 0
        && let Some(&value) = values.iter().find(|&&value| lost_bits::<T, V>(value) != 0)
    {
        return Err(value);
    }
    tokens.extend(values.iter().map(|&value| T::narrow(value.widen())));
    Ok(())
}
