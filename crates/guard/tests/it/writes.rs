//! The files a command would write.

use guard::shell::{How, Place, writes};

#[track_caller]
fn check(command: &str, expected: &[(&str, How)]) {
    let found = writes(command);
    let found: Vec<(String, How)> = found
        .all
        .iter()
        .map(|write| {
            let folder = write.folder.as_ref().map(|folder| format!("{folder}:")).unwrap_or_default();
            let copy = write.copy.as_ref().map(|copy| {
                let place = match copy.place {
                    Place::Itself => "=",
                    Place::Into => "<",
                    Place::IfFolder => "+",
                };
                let all = if copy.is_content { "/*" } else { "" };
                format!("{place}{}{all}", copy.source)
            });
            let found = if write.found.is_some() { "?" } else { "" };
            (format!("{folder}{}{}{found}", write.path, copy.unwrap_or_default()), write.how)
        })
        .collect();
    let expected: Vec<(String, How)> =
        expected.iter().map(|(path, how)| ((*path).to_owned(), *how)).collect();
    assert_eq!(found, expected, "{command}");
}

#[test]
fn redirections_write() {
    check(
        "a > x 2>> y &> z >| w",
        &[("x", How::Write), ("y", How::Append), ("z", How::Write), ("w", How::Write)],
    );
    check("a > /dev/null 2>&1 2>/dev/stderr", &[]);
    check("cd src && echo > a; (cd b; c > d)", &[("src:a", How::Write), ("src/b:d", How::Write)]);
    check("cat <<EOF > ~/.ssh/config\nEOF", &[("~/.ssh/config", How::Write)]);
    check("a > '~x' > ~/x", &[("./~x", How::Write), ("~/x", How::Write)]);
    check(
        "a > $X; a > $X/b; a > src/$X.txt; a > >(tee log)",
        &[("src/*.txt", How::Write), ("log", How::Write)],
    );
    check("cd $X; a > b > /c", &[("/c", How::Write)]);
    check("{ a; } > b; while c; do d; done >> e", &[("b", How::Write), ("e", How::Append)]);
    check("ssh host 'a > b' > c", &[("c", How::Write)]);
    check("bash -c 'a > b'; echo $(c > d)", &[("b", How::Write), ("d", How::Write)]);
}

#[test]
fn programs_that_write_what_they_name() {
    check("a | tee -a x y; sudo tee z", &[("x", How::Append), ("y", How::Append), ("z", How::Write)]);
    check("sed -i 's/a/b/' x y", &[("x", How::Edit), ("y", How::Edit)]);
    check("sed -i.bak -e s/a/b/ x; sed -n p y; sed -Ei '' 's/a/b/' z", &[("x", How::Edit), ("z", How::Edit)]);
    check("perl -pi -e 's/a/b/' x; perl -i.bak -pe 1 y; perl -e 1 z", &[("x", How::Edit), ("y", How::Edit)]);
    check("mv a b", &[("a", How::Move), ("b+a", How::Write)]);
    check("mv a b c/", &[("a", How::Move), ("b", How::Move), ("c/<a", How::Write), ("c/<b", How::Write)]);
    check(
        "cp -r a/. b; cp -rT a b; cp -r . c",
        &[("b+a/./*", How::Write), ("b=a", How::Write), ("c+./*", How::Write)],
    );
    check("cp -r x/a ../b", &[("../b+x/a", How::Write)]);
    check("cp -t d a b", &[("d<a", How::Write), ("d<b", How::Write)]);
    check("ln -s ../x; ln -sf a b", &[("./<../x", How::Write), ("b+a", How::Write)]);
    check("rsync -av a/ host:b; rsync -a a b/", &[("b/<a", How::Write)]);
    check(
        "rsync -a a/ b; rsync -a --delete a b",
        &[("b+a//*", How::Write), ("b", How::Tree), ("b+a", How::Write)],
    );
    check("install -m 755 a /usr/bin/b; install -d c", &[("/usr/bin/b+a", How::Write), ("c", How::Make)]);
    check(
        "rm -rf a; rm b; rmdir c; shred -u d",
        &[("a", How::DeleteTree), ("b", How::Delete), ("c", How::Delete), ("d", How::Delete)],
    );
    check(
        "touch -d now a; truncate -s 0 b; mkdir -p c/d",
        &[("a", How::Write), ("b", How::Write), ("c/d", How::MakeAll)],
    );
    check("dd if=a of=b bs=1M", &[("b", How::Write)]);
    check(
        "chmod -R +x a; chmod -x b; chown me:us c",
        &[("a", How::Tree), ("b", How::Mode), ("c", How::Mode)],
    );
    check(
        "git checkout main -- a; git restore b; git -C s restore c; git checkout d",
        &[("a", How::Tree), ("b", How::Tree), ("s/c", How::Tree), ("d", How::Tree)],
    );
    check("git rm -r a; git mv b c", &[("a", How::DeleteTree), ("b", How::Move), ("c+b", How::Write)]);
    check(
        "curl -fsSLo a http://x/y; curl -O http://x/y/z.tgz?q=1; curl http://x",
        &[("a", How::Write), ("z.tgz", How::Write)],
    );
    check(
        "wget http://x/a.zip; wget -O b http://x; wget -qO- http://x",
        &[("a.zip", How::Write), ("b", How::Write)],
    );
    check(
        "tar xzf a.tgz -C d; tar czf b.tgz c; unzip a.zip -d e",
        &[("d", How::Within), ("b.tgz", How::Write), ("e", How::Within)],
    );
    check("patch src/a.rs < p", &[("src/a.rs", How::Edit)]);
    check("find a -name '*.o' -delete; find b -delete", &[("a?", How::Delete), ("b", How::DeleteTree)]);
    check("find a -exec rm {} +", &[("a?", How::Delete)]);
    check("find a | xargs rm -f; find a -fprint b", &[("a?", How::Delete), ("b", How::Write)]);
    check("tar -C a -xf b; tar -xf b; tar cfC b c .", &[("a", How::Within), ("b", How::Write)]);
    check(
        "mktemp a/x.XXX; mktemp -p b; mktemp -d; split c d/e",
        &[("a/x.XXX", How::Write), ("b", How::Within), ("d/eaa", How::Write)],
    );
    check("rm -rf *.o src/*.rs", &[("*.o", How::DeleteTree), ("src/*.rs", How::DeleteTree)]);
    check("cat a | grep b; ls > /dev/null; echo rm x", &[]);
}
