//! One way to ask, with its types: what stands in the path, in the query and in the body is read and checked here, so
//! that a room sees values and never a request. The same types are described to whoever reads the OpenAPI document.

use std::any::TypeId;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::routing::{MethodFilter, on};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, LOCATION};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body_util::BodyExt;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::House;
use crate::problem::{self, Problem};
use crate::routes::Rooms;

const JSON: &str = "application/json";
/// Beyond this a number is not the same in every language.
pub(super) const MAX_NUMBER: u64 = (1 << 53) - 1;
/// Fields of a query that are looked through for the one that is wrong.
const MAX_FIELDS: usize = 32;
const TOO_GREAT: &str = "a number is greater than 9007199254740991";

/// A part of a request that has no such part.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// What somebody asks, read and checked.
#[derive(Debug)]
pub(crate) struct Asked<P = Nothing, Q = Nothing, B = Nothing> {
    pub(crate) path: P,
    pub(crate) query: Q,
    pub(crate) body: B,
    /// The version a change is meant for, as an ETag says it.
    pub(crate) if_match: Option<String>,
}

impl<P, Q, B> Asked<P, Q, B> {
    /// Whoever says which version they mean changes no other. `current` is what GET gives at the same path.
    pub(crate) fn must_match(&self, current: &impl Serialize) -> Result<(), Problem> {
        let Some(meant) = &self.if_match else { return Ok(()) };
        let version = version_of(current)?;
        if tags(meant).any(|tag| tag == "*" || tag == version) { Ok(()) } else { Err(problem::OTHER_VERSION) }
    }

    /// As `must_match`, for what also says things that change by themselves: its `core` alone has to be the same.
    pub(crate) fn must_match_core(&self, core: &impl Serialize) -> Result<(), Problem> {
        let Some(meant) = &self.if_match else { return Ok(()) };
        let core = core_of(core)?;
        let is_core = |tag: &str| {
            let inner = tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            inner.and_then(|inner| inner.split_once('-')).is_some_and(|(first, _)| first == core)
        };
        if tags(meant).any(|tag| tag == "*" || is_core(tag)) { Ok(()) } else { Err(problem::OTHER_VERSION) }
    }
}

/// What is given back, and where it can be found from now on if it is new.
#[derive(Debug)]
pub(crate) struct Given<O> {
    pub(crate) value: O,
    pub(crate) location: Option<String>,
    /// The digest of what a change is compared with, where that is less than the whole.
    core: Option<String>,
}

impl<O> From<O> for Given<O> {
    fn from(value: O) -> Self {
        Self { value, location: None, core: None }
    }
}

impl<O> Given<O> {
    /// Something new has a place.
    pub(crate) fn at(self, location: Option<String>) -> Self {
        Self { location, ..self }
    }

    /// A change is meant for another version only if this part of it is another.
    pub(crate) fn with_core(self, core: String) -> Self {
        Self { core: Some(core), ..self }
    }
}

/// The version of a thing as it is given: what `If-Match` is compared with.
pub(crate) fn version_of(value: &impl Serialize) -> Result<String, Problem> {
    Ok(tag(&bytes_of(value)?))
}

/// The digest of a part, for `with_core` and `must_match_core` to be compared by.
pub(crate) fn core_of(part: &impl Serialize) -> Result<String, Problem> {
    Ok(digest(&bytes_of(part)?))
}

/// The tags of a list; a comma inside the quotes is part of a tag.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let between = move |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    };
    list.split(between).map(str::trim).filter(|tag| !tag.is_empty())
}

/// What a room does: from what is asked, read and checked, to what is given.
type Room<P, Q, B, O> = fn(&dyn House, Asked<P, Q, B>) -> Result<Given<O>, Problem>;

type Work = Box<dyn Fn(&dyn House, &Call) -> Result<Done, Problem> + Send + Sync>;

pub(crate) struct Endpoint {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    /// Of success.
    pub(crate) status: StatusCode,
    /// It makes something new unless the same is there already.
    pub(crate) may_be_known: bool,
    /// Its answer has a version.
    pub(crate) has_version: bool,
    /// `If-Match` is heeded.
    pub(crate) takes_version: bool,
    /// The kind of its answer.
    pub(crate) media: &'static str,
    pub(crate) describe: fn(&mut SchemaGenerator) -> Description,
    /// `None`: it is served elsewhere and only described here.
    work: Option<Work>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// The types of an endpoint. `None`: there is no such part.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) path: Option<Schema>,
    pub(crate) query: Option<Schema>,
    pub(crate) body: Option<Schema>,
    pub(crate) answer: Option<Schema>,
}

macro_rules! methods {
    ($($name:ident = $method:ident),+ $(,)?) => {
        $(pub(crate) fn $name<P: Part, Q: Part, B: Part, O: Serialize + JsonSchema + 'static>(
            path: &'static str,
            summary: &'static str,
            work: Room<P, Q, B, O>,
        ) -> Endpoint {
            Endpoint::new(Method::$method, path, summary, work)
        })+
    };
}

methods! { get = GET, post = POST, put = PUT, patch = PATCH, delete = DELETE }

/// Something that is served elsewhere, because it is no JSON or lasts: the document speaks of it all the same.
pub(crate) fn described<P: Part, Q: Part, B: Part, O: Serialize + JsonSchema + 'static>(
    method: Method,
    path: &'static str,
    summary: &'static str,
) -> Endpoint {
    Endpoint::shaped::<P, Q, B, O>(method, path, summary)
}

pub(crate) trait Part: DeserializeOwned + JsonSchema + 'static {}
impl<T: DeserializeOwned + JsonSchema + 'static> Part for T {}

impl Endpoint {
    fn new<P: Part, Q: Part, B: Part, O: Serialize + JsonSchema + 'static>(
        method: Method,
        path: &'static str,
        summary: &'static str,
        work: Room<P, Q, B, O>,
    ) -> Self {
        let counted = counted_in::<Q>();
        let work: Work = Box::new(move |house, call| {
            let given = work(house, call.read::<P, Q, B>(&counted)?)?;
            // A unit has nothing to say.
            let body =
                if TypeId::of::<O>() == TypeId::of::<()>() { Vec::new() } else { bytes_of(&given.value)? };
            Ok(Done { body, location: given.location, core: given.core })
        });
        Self { work: Some(work), ..Self::shaped::<P, Q, B, O>(method, path, summary) }
    }

    fn shaped<P: Part, Q: Part, B: Part, O: Serialize + JsonSchema + 'static>(
        method: Method,
        path: &'static str,
        summary: &'static str,
    ) -> Self {
        let describe = |schemas: &mut SchemaGenerator| Description {
            path: part::<P>(schemas),
            query: part::<Q>(schemas),
            body: part::<B>(schemas),
            answer: (TypeId::of::<O>() != TypeId::of::<()>()).then(|| schemas.subschema_for::<O>()),
        };
        let has_version = method == Method::GET;
        Self {
            method,
            path,
            summary,
            status: StatusCode::OK,
            may_be_known: false,
            has_version,
            takes_version: false,
            media: JSON,
            describe,
            work: None,
        }
    }

    /// It makes something new.
    pub(crate) fn creates(self) -> Self {
        Self { status: StatusCode::CREATED, ..self }
    }

    /// It makes something new, and says where that is; what is there already has no new place, and is no news.
    pub(crate) fn creates_unless_known(self) -> Self {
        Self { may_be_known: true, ..self.creates() }
    }

    /// What it gives back is what GET gives at the same path from now on, so it has the same version.
    pub(crate) fn gives_version(self) -> Self {
        Self { has_version: true, takes_version: true, ..self }
    }

    /// Whoever changes may say which version they mean, though there is none afterwards.
    pub(crate) fn takes_version(self) -> Self {
        Self { takes_version: true, ..self }
    }

    /// What it gives is never the same, or has no version for another reason.
    pub(crate) fn has_no_version(self) -> Self {
        Self { has_version: false, ..self }
    }

    /// It gives nothing back.
    pub(crate) fn says_nothing(self) -> Self {
        Self { status: StatusCode::NO_CONTENT, ..self }
    }

    /// Its answer is of another kind than JSON.
    pub(crate) fn speaks(self, media: &'static str) -> Self {
        Self { media, has_version: false, ..self }
    }

    fn answer(&self, house: &dyn House, call: &Call) -> Response<Body> {
        match self.work.as_ref().map(|work| work(house, call)) {
            Some(Ok(done)) => self.say(call, done),
            Some(Err(problem)) => problem.response(),
            None => problem::NOTHING_HERE.response(),
        }
    }

    fn say(&self, call: &Call, done: Done) -> Response<Body> {
        let tag = self.has_version.then(|| done.tag());
        let known = self.method == Method::GET && tag.as_deref().is_some_and(|tag| call.knows(tag));
        let mut response = Response::new(if known { Body::empty() } else { Body::from(done.body) });
        *response.status_mut() = match () {
            () if known => StatusCode::NOT_MODIFIED,
            () if self.may_be_known && done.location.is_none() => StatusCode::OK,
            () => self.status,
        };
        let headers = response.headers_mut();
        if !known && self.status != StatusCode::NO_CONTENT {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media));
        }
        if let Some(tag) = tag.and_then(|tag| HeaderValue::try_from(tag).ok()) {
            headers.insert(ETAG, tag);
        }
        if let Some(location) = done.location.and_then(|location| HeaderValue::try_from(location).ok()) {
            headers.insert(LOCATION, location);
        }
        response
    }
}

/// Puts every endpoint behind its path; what blocks is done on a thread that is lent for it.
pub(crate) fn routes(router: Router<Rooms>, endpoints: Vec<Endpoint>) -> Router<Rooms> {
    let served = endpoints.into_iter().filter(|endpoint| endpoint.work.is_some());
    served.fold(router, |router, endpoint| {
        let endpoint = Arc::new(endpoint);
        let path = endpoint.path;
        let filter = MethodFilter::try_from(endpoint.method.clone()).expect("methods of HTTP itself");
        type Path = Result<RawPathParams, RawPathParamsRejection>;
        let handler = move |State(rooms): State<Rooms>, path: Path, request: Request| async move {
            let Ok(path) = path else { return problem::NO_TEXT.response() };
            let (parts, body) = request.into_parts();
            // It was read before it came here, so this cannot wait or fail.
            let body =
                body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
            let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let call = Call { path, parts, body };
            let answered = spawn_blocking(move || endpoint.answer(&*rooms.house, &call));
            answered.await.unwrap_or_else(|_| problem::OUT_OF_ORDER.response())
        };
        router.route(path, on(filter, handler))
    })
}

struct Call {
    path: Vec<(String, String)>,
    parts: Parts,
    body: Bytes,
}

struct Done {
    body: Vec<u8>,
    location: Option<String>,
    core: Option<String>,
}

impl Done {
    /// Another one for other bytes; its first part is the same as long as the core is.
    fn tag(&self) -> String {
        match &self.core {
            Some(core) => format!("\"{core}-{}\"", digest(&self.body)),
            None => tag(&self.body),
        }
    }
}

impl Call {
    fn read<P: Part, Q: Part, B: Part>(&self, counted: &[String]) -> Result<Asked<P, Q, B>, Problem> {
        let pairs = self.path.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let path = P::deserialize(MapDeserializer::<_, serde::de::value::Error>::new(pairs))
            .map_err(|error| Problem::refused("the path cannot be read", error.to_string()))?;
        let query = self.parts.uri.query().unwrap_or_default();
        if exceeds(query, counted) {
            return Err(Problem::refused("the query cannot be read", TOO_GREAT));
        }
        let query = serde_html_form::from_str(query).map_err(|error| {
            Problem::refused("the query cannot be read", wrong_in::<Q>(query, &error.to_string()))
        })?;
        let body = if TypeId::of::<B>() == TypeId::of::<Nothing>() {
            serde_json::from_str("{}")
        } else {
            if !self.is_json() {
                return Err(problem::NOT_JSON);
            }
            // Fields in a row without their names would be read as well; the document knows only objects.
            match serde_json::from_slice(&self.body) {
                Ok(Value::Object(fields)) if fields.values().any(is_too_great) => {
                    return Err(Problem::refused("the body cannot be read", TOO_GREAT));
                }
                Ok(Value::Object(_)) | Err(_) => serde_json::from_slice(&self.body),
                Ok(_) => return Err(Problem::refused("the body cannot be read", "send an object")),
            }
        };
        let body = body.map_err(|error| Problem::refused("the body cannot be read", error.to_string()))?;
        Ok(Asked { path, query, body, if_match: self.header(&IF_MATCH).map(str::to_owned) })
    }

    fn is_json(&self) -> bool {
        let kind = self.header(&CONTENT_TYPE).and_then(|kind| kind.split(';').next());
        kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON))
    }

    fn knows(&self, tag: &str) -> bool {
        let known = self.header(&IF_NONE_MATCH).unwrap_or_default();
        tags(known).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
    }

    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }
}

/// The fields of a query that are whole numbers.
fn counted_in<Q: Part>() -> Vec<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<Q>().to_value();
    let is_counted = |field: &Value| {
        field["type"] == "integer"
            || field["type"].as_array().is_some_and(|any| any.iter().any(|one| one == "integer"))
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.filter(|(_, field)| is_counted(field)).map(|(name, _)| name.clone()).collect()
}

/// Whether one of these fields is a number that is not the same in every language.
fn exceeds(query: &str, counted: &[String]) -> bool {
    let fields: Vec<(String, String)> = serde_html_form::from_str(query).unwrap_or_default();
    let mut numbers = fields.iter().filter(|(name, _)| counted.contains(name));
    numbers.any(|(_, number)| number.parse().is_ok_and(|number: u64| number > MAX_NUMBER))
}

/// What is wrong with a query, and in which field: the one without which it would be another trouble, or none. Whoever sends
/// more fields than any room has is told the trouble alone.
fn wrong_in<Q: Part>(query: &str, trouble: &str) -> String {
    let fields: Vec<(String, String)> = serde_html_form::from_str(query).unwrap_or_default();
    if fields.len() > MAX_FIELDS || trouble.contains('`') {
        return trouble.to_owned();
    }
    let is_to_blame = |name: &str| {
        let others: Vec<_> = fields.iter().filter(|(field, _)| field != name).collect();
        let others = serde_html_form::to_string(others).unwrap_or_default();
        serde_html_form::from_str::<Q>(&others).err().is_none_or(|other| other.to_string() != trouble)
    };
    let Some((name, _)) = fields.iter().find(|(name, _)| is_to_blame(name)) else {
        return trouble.to_owned();
    };
    if fields.iter().filter(|(field, _)| field == name).count() > 1 {
        return format!("`{name}`: {trouble}; say it once");
    }
    format!("`{name}`: {trouble}")
}

fn is_too_great(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| number > MAX_NUMBER)
}

fn part<T: Part>(schemas: &mut SchemaGenerator) -> Option<Schema> {
    (TypeId::of::<T>() != TypeId::of::<Nothing>()).then(|| T::json_schema(schemas))
}

fn bytes_of(value: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|_| problem::OUT_OF_ORDER)
}

/// Equal for equal bytes. Whoever could make two bodies meet has the token already.
fn tag(body: &[u8]) -> String {
    format!("\"{}\"", digest(body))
}

fn digest(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(list: &str) -> Result<(), Problem> {
        let asked = Asked { path: (), query: (), body: (), if_match: Some(list.to_owned()) };
        asked.must_match(&"as it is")
    }

    #[test]
    fn a_change_is_not_refused_for_what_changes_by_itself() {
        let tag_of = |body: &str, core: &str| {
            Done { body: body.into(), location: None, core: Some(core_of(&core).unwrap()) }.tag()
        };
        let first = tag_of("read once", "the words");
        assert_ne!(first, tag_of("read twice", "the words"), "who reads is told of both");
        let asked = |tag: &str| Asked { path: (), query: (), body: (), if_match: Some(tag.to_owned()) };
        assert!(asked(&first).must_match_core(&"the words").is_ok());
        assert!(asked(&format!("\"other-thing\", {first}")).must_match_core(&"the words").is_ok());
        for tag in [&first, "\"other\"", "", &format!("W/{first}")] {
            assert!(asked(tag).must_match_core(&"other words").is_err(), "{tag}");
        }
        assert!(asked(&format!("W/{first}")).must_match_core(&"the words").is_err());
    }

    #[test]
    fn a_change_that_is_meant_for_another_version_is_refused() {
        let version = version_of(&"as it is").unwrap();
        let fitting = ["*", &version, &format!("\"other\" , {version}"), &format!("\"a,b\",{version}")];
        for list in fitting {
            assert_eq!(meant(list), Ok(()), "{list}");
        }
        // A weak tag says that two are alike, which is not enough to write.
        let unfitting = ["\"other\"", "", "nonsense", &format!("W/{version}"), "\"*\""];
        for list in unfitting {
            assert_eq!(meant(list), Err(problem::OTHER_VERSION), "{list}");
        }
    }
}
