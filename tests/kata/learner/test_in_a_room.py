"""A learner who joins a room: what is sent, and that nothing waits for it."""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.files import room_membership
from kata.learner.progress import Progress
from kata.learner.watcher import share_by_key
from kata.live import attending as telling
from kata.live import post
from kata.live.attending import Membership, read, save
from kata.live.people import People
from kata.live.protocol import PORT, door
from tests.helpers.learner_folder import Kata, Learner
from tests.helpers.open_room import Room, in_a_thread
from tests.helpers.watching import LocalWatch
from tests.kata.commands.test_commands import RIGHT, SIGNED, one_line

CODE_OF_MINE = "my_own_name_for_it"
EX01 = exercises()["ex01_softmax"]
WHOLE = len([line for line in EX01.suite.read_text().splitlines() if line.startswith("def test_")])


@pytest.fixture
def room() -> Iterator[Room]:
    with in_a_thread(People()) as opened:
        yield opened


def test_the_room_sees_a_run_and_no_code(learner: Learner, kata: Kata, room: Room) -> None:
    joined = kata("join", room.link, "--name", "Ada")
    learner.softmax(
        f"{CODE_OF_MINE} = scores.sum(axis, keepdims=True)\nreturn scores / {CODE_OF_MINE}"
    )
    learner.run()

    view = room.until(lambda view: view["people"][0]["standings"])

    (ada,) = view["people"]
    assert joined.status == 0
    assert "as Ada" in joined.out
    assert ada["at"] == EX01.slug
    assert ada["mistake"] == "scores divided by their sum"
    assert ada["claim"] == "one row gets the weights worked out by hand"
    assert [each["title"] for each in view["mistakes"]] == ["scores divided by their sum"]
    assert CODE_OF_MINE not in str(view)
    assert CODE_OF_MINE not in membership(learner).sent


def membership(learner: Learner) -> Membership:
    found = read(room_membership(learner.folder))
    assert found
    return found


def test_what_was_sent_is_shown_word_for_word(learner: Learner, kata: Kata, room: Room) -> None:
    learner.softmax(RIGHT)
    kata("join", room.link, "--name", "Ada")
    kata("verdict", "ex01")

    last_line = kata("join").out.splitlines()[-1]

    assert last_line == membership(learner).sent
    assert json.loads(last_line)["work"] == [
        {"exercise": EX01.slug, "state": "passed", "held": WHOLE, "of": WHOLE, "claim": "",
         "mistakes": []}
    ]  # fmt: skip
    room.until(lambda view: view["exercises"][0]["passed"] == 1)


def test_who_joins_late_is_where_they_are(learner: Learner, kata: Kata, room: Room) -> None:
    learner.take("ex02")
    learner.softmax(SIGNED)
    learner.run()

    kata("join", room.link, "--name", "Ada")

    assert room.person("Ada")["at"] == EX01.slug
    assert list(room.person("Ada")["standings"]) == [EX01.slug]


def test_code_is_shown_on_purpose_and_taken_back(learner: Learner, kata: Kata, room: Room) -> None:
    learner.softmax(RIGHT)
    kata("join", room.link, "--name", "Ada")
    one_line(kata("share"), "say which exercise")

    assert kata("share", "ex01").out.startswith("shown to the leader, and to nobody else")
    assert "np.exp" in room.person("Ada")["shown"]["text"]
    assert kata("share", "--stop").out == "your code is no longer shown\n"
    assert room.person("Ada")["shown"] is None


def test_leaving_is_the_end_of_it(learner: Learner, kata: Kata, room: Room) -> None:
    learner.softmax(RIGHT)
    kata("join", room.link, "--name", "Ada")

    assert kata("leave").out.startswith("left the room: it has forgotten Ada")
    learner.run()

    assert room.view()["people"] == []
    one_line(kata("leave"), "has not joined a room")
    one_line(kata("join"), "has not joined a room")
    one_line(kata("share", "ex01"), "has not joined a room")


def test_who_joins_again_is_there_once(learner: Learner, kata: Kata, room: Room) -> None:
    learner.take("ex01")
    kata("join", room.link, "--name", "Ada")
    kata("join", room.link, "--name", "Ada L.")

    assert [each["name"] for each in room.view()["people"]] == ["Ada L."]


@pytest.mark.parametrize("form", ["link", "without a scheme", "two words", "spoken"])
def test_a_link_can_be_typed_in_several_ways(
    learner: Learner, kata: Kata, room: Room, form: str
) -> None:
    learner.take("ex01")
    address = room.origin.removeprefix("http://")
    words = {
        "link": [room.link], "without a scheme": [f"{address}/{room.code}"],
        "two words": [address, room.code], "spoken": [address, "-".join(room.code.lower())],
    }[form]  # fmt: skip

    assert kata("join", *words, "--name", "Ada").status == 0
    assert room.person("Ada")


def test_a_port_can_be_left_out() -> None:
    assert door("192.168.1.23", "K7QM2-XPA9D").origin == f"http://192.168.1.23:{PORT}"
    assert door("https://room.example/K7QM2XPA9D").origin == "https://room.example:443"
    assert door("[::1]:8700/k7qm2xpa9o").code == "K7QM2XPA90"


@pytest.mark.parametrize(
    "link", ["", "/", "http://", "http://here", "ftp://here/K7QM2XPA9D", "http://h:x/K", "a b/c d!"]
)
def test_what_is_no_link_is_told(link: str) -> None:
    with pytest.raises(UserError, match="not the link of a room"):
        door(link)


def test_a_wrong_code_is_told(learner: Learner, kata: Kata, room: Room) -> None:
    learner.take("ex01")

    one_line(kata("join", f"{room.origin}/AAAAAAAAAA"), "the code is not that of this room")


def test_a_room_that_is_not_there_is_told(learner: Learner, kata: Kata) -> None:
    learner.take("ex01")

    one_line(kata("join", "127.0.0.1:9/K7QM2XPA9D"), "no room answers at http://127.0.0.1:9")


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_room_that_sends_a_byte_a_second_is_as_good_as_away(
    learner: Learner, kata: Kata, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is in time, and there is no end of them."""
    monkeypatch.setattr(post, "LONGEST", 0.5)
    learner.take("ex01")
    with socket.create_server(("127.0.0.1", 0)) as slow, ThreadPoolExecutor(1) as beside:
        ended = Event()
        beside.submit(drip, slow, ended)
        begun = time.monotonic()
        try:
            joined = kata("join", f"127.0.0.1:{slow.getsockname()[1]}/K7QM2XPA9D", "--name", "Ada")
        finally:
            ended.set()

    assert time.monotonic() - begun < 5
    one_line(joined, "no room answers at http://127.0.0.1")


def drip(server: socket.socket, ended: Event) -> None:
    """Answer for ever."""
    taken, _ = server.accept()
    with taken, suppress(OSError):
        taken.sendall(b"HTTP/1.1 200 OK\r\n")
        while not ended.wait(0.05):
            taken.sendall(b"X: y\r\n")


def test_nothing_waits_for_a_room_that_says_nothing(learner: Learner, silent: str) -> None:
    """Without the room, a run takes as long; what was sent is given up in the background."""
    learner.softmax(RIGHT)
    learner.run()  # the first one starts what all others are forked from
    save(room_membership(learner.folder), Membership(silent, "a", "b", "Ada", time.time()))

    begun = time.monotonic()
    run = learner.run()

    assert time.monotonic() - begun < post.PATIENCE
    assert run.status == 0
    assert "kata room" not in run.out + run.err


def test_when_the_room_has_ended_one_line_says_so_once(learner: Learner, kata: Kata) -> None:
    learner.softmax(RIGHT)
    with in_a_thread(People()) as room:
        kata("join", room.link, "--name", "Ada")
        path = room_membership(learner.folder)
        room.ask(f"/leader/{room.leader}/remove", json.dumps(
            {"id": membership(learner).learner}).encode())  # fmt: skip
        learner.run()
        end = time.monotonic() + 20
        while not membership(learner).ended:
            assert time.monotonic() < end
            time.sleep(0.05)

    told, silent_again = learner.run(), learner.run()

    assert told.out.count("kata room: Ada is no longer in the room") == 1
    assert told.out.rstrip().endswith("nothing is sent any more")
    assert not path.exists()
    assert "kata room" not in silent_again.out


def test_after_a_day_nothing_is_sent(learner: Learner, room: Room, kata: Kata) -> None:
    learner.softmax(RIGHT)
    kata("join", room.link, "--name", "Ada")
    path = room_membership(learner.folder)
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "joined": data["joined"] - 25 * 3600}))

    assert "no longer in the room" in learner.run().out
    assert not path.exists()


def test_a_membership_that_lies_in_the_folder_is_told_and_sends_nothing(
    learner: Learner, kata: Kata
) -> None:
    """Whoever prepared the folder would learn what its owner does."""
    learner.softmax(RIGHT)
    planted = learner.folder.parent / ".kata" / "mine.room"
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        origin = f"http://127.0.0.1:{stranger.getsockname()[1]}"
        save(planted, Membership(origin, "a", "b", "Ada", time.time()))

        run = learner.run()
        one_line(kata("share", "ex01"), "has not joined a room")

        stranger.setblocking(False)
        with pytest.raises(BlockingIOError):
            stranger.accept()
    assert (run.out + run.err).count("mine.room says that this folder is in a room") == 1

    assert kata("leave").out.endswith("mine.room; this folder has not joined a room\n")
    assert not planted.exists()
    assert "is in a room" not in learner.run().out


def test_a_damaged_file_costs_nothing(learner: Learner) -> None:
    learner.softmax(RIGHT)
    room = room_membership(learner.folder)
    room.parent.mkdir(parents=True, exist_ok=True)
    told = {}
    for damaged in ("", "{", "[]", "\x00", '{"origin": 1}'):
        room.write_text(damaged)
        told[damaged] = Progress(learner.folder).tell([])

    assert {*told.values()} == {""}, told
    assert learner.run().status == 0


@pytest.mark.skipif(os.name != "posix", reason="rights")
def test_the_token_is_the_learners_alone(learner: Learner, kata: Kata, room: Room) -> None:
    learner.take("ex01")
    kata("join", room.link, "--name", "Ada")

    assert room_membership(learner.folder).stat().st_mode & 0o077 == 0


def test_only_so_many_messages_are_on_their_way(
    tmp_path: Path, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[object] = []
    monkeypatch.setattr(telling, "_on_the_way", waiting)
    path = tmp_path / ".kata" / "mine.room"
    save(path, Membership(silent, "a", "b", "Ada", time.time()))

    for _ in range(20):
        assert telling.tell(path, []) == ""

    assert len(waiting) == telling.MOST_ON_THE_WAY
    for each in waiting:
        each.kill()
        each.wait()


def test_a_clock_that_goes_back_silences_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ".kata" / "mine.room"
    member = Membership("http://127.0.0.1:9", "a", "b", "Ada", time.time(), count=2**62)
    save(path, member)

    monkeypatch.setattr(telling, "_send", lambda *_: None)
    telling.tell(path, [])

    assert json.loads(read(path).sent)["count"] == 2**62 + 1


def test_watching_tells_the_room(
    learner: Learner, kata: Kata, room: Room, watch: Callable[[], LocalWatch]
) -> None:
    learner.softmax(SIGNED)
    kata("join", room.link, "--name", "Ada")
    watcher = watch()
    watcher.until("  at ")

    learner.softmax(RIGHT)
    watcher.handle_until(lambda: room.view()["exercises"][0]["passed"] == 1)


def test_the_key_shows_what_was_judged_last(learner: Learner, kata: Kata, room: Room) -> None:
    learner.softmax(RIGHT)
    assert next(share_by_key(learner.folder, EX01.slug)).startswith(
        "this folder has not joined a room"
    )
    kata("join", room.link, "--name", "Ada")

    assert next(share_by_key(learner.folder, EX01.slug)).startswith("shown to the leader")
    assert "np.exp" in room.person("Ada")["shown"]["text"]


def test_the_script_that_sends_needs_nothing_of_the_kata() -> None:
    source = Path(post.__file__).read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]

    assert lines
    for line in lines:
        assert line.split()[1].partition(".")[0] in sys.stdlib_module_names


def test_a_planted_membership_behind_a_linked_folder_is_as_if_it_were_not_there(
    learner: Learner, kata: Kata
) -> None:
    learner.take("ex01")
    elsewhere = learner.home / "elsewhere"
    elsewhere.mkdir()
    save(elsewhere / "mine.room", Membership("http://127.0.0.1:9", "a", "b", "Ada", time.time()))
    (learner.home / ".kata").symlink_to(elsewhere)

    one_line(kata("leave"), "has not joined a room")

    assert (elsewhere / "mine.room").exists()
