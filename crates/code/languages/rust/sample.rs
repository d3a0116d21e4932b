//! A shop.
#![allow(dead_code)]

extern crate alloc;
extern crate serde_json as json;

use std::collections::{HashMap, hash_map::Entry as Slot};
use std::fmt::{self, Write as _};

use super::prices;
pub use crate::models::{Item, order::*};

mod ledger;
pub mod stock;
#[path = "old/tax.rs"]
mod tax;

/// How many orders fit.
pub const LIMIT: usize = 10;
static mut COUNT: u32 = 0;
type Orders<T> = HashMap<u64, Vec<T>>;

thread_local! {
    /// Of this thread.
    static CACHE: RefCell<Cache> = RefCell::new(Cache::empty());
}

cfg_if! {
    if #[cfg(unix)] {
        fn sync(path: &Path) -> bool { flush(path.parent()) }
    } else {
        fn sync(path: &Path) -> bool { false }
    }
}

/// Keeps orders.
///
/// For good.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Store<T: Keep> {
    /// Where.
    pub root: PathBuf,
    #[serde(default = "first_clock")]
    clock: Arc<dyn Clock>,
    items: Vec<Item<T>>,
    pub(crate) next: Option<Box<Store<T>>>,
}

pub struct Id(pub u64, Box<Inner>);
struct Unit;
union Bits { whole: u32, part: [u8; 4] }

pub enum Outcome {
    Kept,
    /// It was not.
    Refused(Reason),
    Late { by: Duration } ,
    Other = 7,
}

pub trait Keep: fmt::Debug + Clone {
    type Error: std::error::Error;
    const LIFE: u32 = 3;

    fn key(&self) -> u64;
    fn of(text: &str) -> Result<Self, Self::Error>;
    /// As it is shown.
    fn label(&self) -> String {
        format!("{}-{}", self.key(), Self::LIFE)
    }
}

impl<T: Keep> Store<T> {
    pub fn open(root: &Path) -> Result<Self, Error> {
        let clock = SystemClock::new();
        let items = Vec::<Item<T>>::with_capacity(LIMIT);
        let store = Self { root: root.to_owned(), clock: Arc::new(clock), items, next: None };
        self::check(&store)?;
        Ok(store)
    }

    pub async fn save(&mut self, order: Order, (low, high): (u32, u32)) -> Result<Outcome, Error> {
        let total: Money = prices::total(&order.lines[0].price, low..high);
        let line = order.lines.first().unwrap().clone();
        let ledger = ledger::Ledger::open(&self.root).await?;
        let double = |money: Money| money * 2;
        for item in self.items.iter() {
            item.check(LIMIT);
        }
        self.items.iter_mut().for_each(|item| item.touch(self.clock.now()));
        if let Some(next) = &self.next && next.is_open() {
            next.forward(line).await;
        }
        let Some(mut found) = self.find::<u64>(order.id) else { return Ok(Outcome::Kept) };
        match ledger.write(total) {
            Ok(entry) => entry.seal(),
            Err(Error::Full { left, .. }) if left > LIMIT => super::grow(left),
            Err(other) => return Err(other.into()),
        }
        let Order { id, buyer: who, .. } = order;
        found.lines.sort_by_key(Line::price);
        who.notify(double(total), T::of("x"), <T as Keep>::of("y"));
        Self::seal_all(crate::util::now(), tax::rate);
        Ok(Outcome::Late { by: Duration::default() })
    }

    fn find<K>(&self, id: u64) -> Option<&Item<T>> {
        fn nested(id: u64) -> u64 { id + 1 }
        self.items.iter().map(|item| item.id).find(|id| *id == nested(3));
        unsafe { COUNT += 1 };
        None
    }

    fn seal_all(at: Instant, rate: fn(u32) -> u32) {}
}

impl<T: Keep> Drop for Store<T> {
    fn drop(&mut self) {
        println!("{} {:?}", self.items.len(), Outcome::Kept);
    }
}

impl From<u64> for Id {
    fn from(value: u64) -> Self { Self(value, Box::new(Inner { deep: value as u32 })) }
}

impl fmt::Display for stock::Shelf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.name())?;
        f.write_str(&vec![self.first().label(), Self::END.to_owned()].join(json::SEPARATOR))
    }
}

impl Keep for dyn Clock {}

extern "C" {
    fn fsync(fd: i32) -> i32;
}

/// Puts together what is told.
#[macro_export]
macro_rules! order {
    ($id:expr, $($line:expr),*) => {{
        let mut made = $crate::Order::empty($id);
        $( made.lines.push(line($line)); )*
        made.check()?.seal(1, 2)
    }};
}

#[tokio::main]
async fn main() {
    let order = order!(make_id(), Line::new(1), Line { price: LIMIT });
    tokio::select! {
        done = serve(order) => { let store = Store::<Cake>::open(done); store.save(order!(next())) },
        _ = ctrl_c() => stop(stopped.flag().as_ref(), other::<u8>(1)),
    }
    assert!(matches!(state(), Outcome::Refused(_) | Outcome::Kept), "{}", why());
}

#[inline]
fn check<T>(store: &Store<T>) -> Result<(), Error> where T: Keep { Ok(()) }

fn first_clock() -> Arc<dyn Clock> { CLOCK.with(Arc::clone) }

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> Store<Cake> { Store::open("a".as_ref()).unwrap() }

    #[tokio::test]
    async fn a_store_keeps() {
        assert_eq!(store().find::<u8>(1).map(|item| item.id), Some(order().id), "is {}", LIMIT);
    }
}
