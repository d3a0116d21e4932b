//! Programs that start the program that follows them: what stands between.

use super::{Word, Wrap};

pub(super) struct Wrapper {
    pub(super) names: &'static str,
    pub(super) wrap: Wrap,
    /// Options that take the next word.
    pub(super) with_word: &'static str,
    /// Words before the program that are none of its options: a time, a lock, a machine.
    pub(super) operands: usize,
    /// `NAME=value` may stand before the program.
    pub(super) sets: bool,
}

const PLAIN: Wrapper = Wrapper { names: "", wrap: Wrap::Plain, with_word: "", operands: 0, sets: false };

pub(super) const ALL: &[Wrapper] = &[
    Wrapper {
        names: "sudo doas pkexec run0",
        wrap: Wrap::Rights,
        with_word: "-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --chdir --close-from \
            --other-user --role --type --command-timeout --chroot",
        sets: true,
        ..PLAIN
    },
    Wrapper { names: "gosu su-exec", wrap: Wrap::Rights, operands: 1, ..PLAIN },
    Wrapper {
        names: "env",
        with_word: "-u -C -P --unset --chdir --block-signal --argv0 -a",
        sets: true,
        ..PLAIN
    },
    Wrapper {
        names: "nohup command builtin setsid unbuffer busybox toybox chronic fakeroot catchsegv torsocks \
            proxychains proxychains4 noglob nocorrect gtime dbus-run-session",
        ..PLAIN
    },
    Wrapper { names: "exec", with_word: "-a", ..PLAIN },
    Wrapper { names: "time", with_word: "-f -o --format --output", ..PLAIN },
    Wrapper { names: "nice gnice", with_word: "-n --adjustment", ..PLAIN },
    Wrapper { names: "ionice", with_word: "-c -n --class --classdata", ..PLAIN },
    Wrapper { names: "chrt taskset", with_word: "-T -P -D", operands: 1, ..PLAIN },
    Wrapper { names: "timeout gtimeout", with_word: "-s -k --signal --kill-after", operands: 1, ..PLAIN },
    Wrapper { names: "stdbuf", with_word: "-i -o -e --input --output --error", ..PLAIN },
    Wrapper { names: "caffeinate", with_word: "-t -w", ..PLAIN },
    Wrapper { names: "strace ltrace dtruss", with_word: "-o -e -s -p -P -E", ..PLAIN },
    Wrapper { names: "xvfb-run", with_word: "-n -s -f -e -w -p", ..PLAIN },
    Wrapper {
        names: "systemd-run",
        with_word: "-p -u -t --unit --property --slice --description --uid --gid",
        ..PLAIN
    },
    Wrapper { names: "sshpass", with_word: "-p -f -d -P", ..PLAIN },
    Wrapper { names: "direnv", operands: 2, ..PLAIN },
    Wrapper { names: "flock", with_word: "-w -E --timeout", operands: 1, ..PLAIN },
    Wrapper { names: "setarch arch", with_word: "-arch", ..PLAIN },
    Wrapper {
        names: "chroot",
        wrap: Wrap::Elsewhere,
        with_word: "--userspec --groups",
        operands: 1,
        ..PLAIN
    },
    Wrapper { names: "unshare nsenter", with_word: "-t --target -S -G -R -w", ..PLAIN },
];

/// Of `docker run` and `docker exec`.
pub(super) const CONTAINER_WORDS: &str = "\
    -a -c -e -h -l -m -p -u -v -w --add-host --attach --cap-add --cap-drop --cidfile --cpus \
    --detach-keys --device --dns --entrypoint --env --env-file --expose --gpus --group-add --hostname \
    --index --ip --ipc --label --log-driver --log-opt --mac-address --memory --mount --name --net \
    --network --pid --platform --publish --pull --restart --runtime --security-opt --shm-size \
    --stop-signal --sysctl --tmpfs --ulimit --user --userns --volume --volumes-from --workdir";

/// Of `ssh`.
pub(super) const SSH_WORDS: &str = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w";

/// Of `xargs` and `parallel`.
pub(super) const XARGS_WORDS: &str = "\
    -I -n -L -P -s -d -a -E -J -R -S -j --max-args --max-procs --max-chars --max-lines --delimiter \
    --arg-file --replace --jobs --colsep --tmpdir --joblog --delay --timeout --retries --results";

/// Of the shells, in capitals and small letters.
pub(super) const SHELL_WORDS: &str = "-o +o -O +O --rcfile --init-file";

pub(super) fn named(name: &str) -> Option<&'static Wrapper> {
    ALL.iter().find(|wrapper| lists(wrapper.names, name))
}

/// Whether a word is in a list that is written with blanks.
pub(super) fn lists(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Where the options end: the place of the first word that is none.
pub(super) fn past_options(words: &[Word], from: usize, with_word: &str) -> usize {
    let mut at = from;
    while let Some(option) = words.get(at).and_then(Word::text) {
        if option == "--" {
            return at + 1;
        }
        if option.len() < 2 || !option.starts_with('-') {
            return at;
        }
        at += 1 + usize::from(takes_word(&option, with_word));
    }
    at
}

/// `-u root`, `-Eu root`; not `-uroot` or `--user=root`.
pub(super) fn takes_word(option: &str, with_word: &str) -> bool {
    if lists(with_word, option) {
        return true;
    }
    let is_bundle =
        option.len() > 2 && !option.starts_with("--") && option[1..].bytes().all(|b| b.is_ascii_alphabetic());
    let takes = |letter: char| {
        with_word.split(' ').any(|with| with.strip_prefix('-') == Some(letter.encode_utf8(&mut [0; 4])))
    };
    is_bundle && option.chars().skip(1).position(takes) == Some(option.len() - 2)
}
