// Finds wrong answers by any words: a title, an error message, a line of code. INDEX is in
// search-index.js; the rules for words are those of kata/handouts/site/searching.py.
const WORD = /-inf\b|== ?0\b|(?:dim|axis) ?= ?-?\d+|[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*|\d+\.\d+/g;
const ENDINGS = ["ing", "ed", "es", "s", "e"];
const SHORTEST = 3;
const MOST = 40; // results that are shown
const QUOTED = /['`"]([a-z_]\w*)['`"]/gi; // in an error text: what it is about
const STRESS = 3; // how much more that counts

function stem(word) {
  for (const ending of ENDINGS) {
    if (word.endsWith(ending) && word.length - ending.length >= SHORTEST) {
      word = word.slice(0, -ending.length);
      break;
    }
  }
  const last = word.at(-1);
  const twice = word.length > SHORTEST && last === word.at(-2) && !"ls".includes(last);
  return twice ? word.slice(0, -1) : word;
}

function wordsOf(text) {
  const folded = text.replace(/[−–]/g, "-").replace(/’/g, "'").toLowerCase();
  const found = [];
  for (const match of folded.match(WORD) || []) {
    const word = match.replaceAll(" ", "");
    found.push(...new Set([word, ...word.split(/[._]|=+-?\d+/).filter(Boolean)]));
  }
  const said = found.filter((word) => !INDEX.stopped.includes(word)).map(stem);
  return [...new Set(said.map((word) => INDEX.same[word] || word))];
}

/** The entries that have a word: [entry, how much the word says of it, from 0 to 2]. */
function* postings(packed) {
  let at = -1;
  for (const digits of packed.split(" ")) {
    const number = parseInt(digits, 36);
    at += Math.floor(number / 3);
    yield [at, number % 3];
  }
}

/** The words of the index that are meant, and how sure that is: one may be a beginning. */
function meant(word, isUnfinished) {
  const exact = word in INDEX.words ? [[word, 1]] : [];
  if (!isUnfinished) return exact;
  const longer = Object.keys(INDEX.words).filter((each) => each !== word && each.startsWith(word));
  return [...exact, ...longer.map((each) => [each, 0.6])];
}

/** The entries that fit best: rare words count more than common ones, and so do names and errors. */
function search(text) {
  const wanted = wordsOf(text);
  const quoted = new Set([...text.matchAll(QUOTED)].flatMap((found) => wordsOf(found[1])));
  const scores = new Map();
  const unfinished = /[a-z_]$/i.test(text); // perhaps the last word is still being typed
  wanted.forEach((word, place) => {
    const best = new Map();
    for (const [each, sure] of meant(word, unfinished && place === wanted.length - 1)) {
      const found = [...postings(INDEX.words[each])];
      const rarity = Math.log(1 + INDEX.entries.length / found.length);
      for (const [entry, weight] of found) {
        const score = sure * rarity * (1 + weight) * (quoted.has(word) ? STRESS : 1);
        best.set(entry, Math.max(score, best.get(entry) || 0));
      }
    }
    for (const [entry, score] of best) {
      const [sum, count] = scores.get(entry) || [0, 0];
      scores.set(entry, [sum + score, count + 1]);
    }
  });
  const rank = ([entry, [sum, count]]) =>
    sum * (count / wanted.length) ** 2 * [1, 1.25, 1.05, 1.3][INDEX.entries[entry][4]];
  return [...scores].sort((a, b) => rank(b) - rank(a) || a[0] - b[0]).map(([entry]) => entry);
}

/** Text in which names of code stand between backticks. */
function prose(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text];
  return parts.map((part, at) => {
    if (at % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

function item(entry) {
  const [at, slug, title, symptom, seen] = INDEX.entries[entry];
  const [room, short, name] = INDEX.rooms[at];
  const made = document.getElementById("result").content.cloneNode(true);
  const link = made.querySelector("a");
  link.href = `bugs/${room}/${slug}.html`;
  link.append(...prose(title));
  made.querySelector(".where").textContent = `${short} ${name}`;
  made.querySelector(".symptom").append(...prose(symptom));
  made.querySelector(".real").hidden = !(seen & 1);
  return made;
}

function show() {
  const text = box.value.trim();
  const found = text ? search(text) : [];
  list.replaceChildren(...found.slice(0, MOST).map(item));
  status.textContent = !text ? "" : found.length > MOST ? `${found.length} found, the best ${MOST} of them below` : `${found.length} found`;
  const address = new URL(location.href);
  if (text) address.searchParams.set("q", text);
  else address.searchParams.delete("q");
  history.replaceState(null, "", address);
}

const box = document.querySelector("header input[name=q]");
const list = document.getElementById("results");
const status = document.getElementById("found");
box.value = new URL(location.href).searchParams.get("q") || box.value;
box.addEventListener("input", show);
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
  list.querySelector("a")?.focus();
});
show();
if (!box.value) box.focus();
