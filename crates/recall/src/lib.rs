//! Finding again, as arithmetic: texts and questions become terms, two rankings become one, a hit is weighed.
//! Pure: no clock, no file, no SQL, no model. Whoever calls brings the candidates and the time.

pub mod analyze;
mod calendar;
pub mod collapse;
mod fold;
pub mod fuse;
mod irregular;
pub mod query;
pub mod reading;
pub mod standing;
mod stem;
mod stop;
pub mod weigh;
pub mod when;

pub use analyze::{Analysis, Shape, analyze, shape};
pub use query::Query;
