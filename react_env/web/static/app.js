// The page: begin a game, play or watch it, open a replay. The server decides what may be seen and done; this code only shows it.
"use strict";
const $ = (id) => document.getElementById(id);
const KEYS = "1234567890", ANY = "*";
// ms between two decisions of agents, so that people can follow
const AGENTS_PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 350;
// a phone: the choices stay below the board, and a finger cannot hover
const NARROW = matchMedia("(max-width: 599px), (max-width: 819px) and (orientation: portrait)"), FINGER = matchMedia("(hover: none)");
let catalogue = null, socket = null, session = "", seen = null, waiting = [], showing = false, lines = [], cards = new Map();
let noted = "", held = false, only = null, hinted = null, running = 0, retries = 0, clock = null, eyes = null, curious = null;
let entered = 0; // how many times a game was entered; what an earlier one has asked for may arrive late
let placed = false; // whether the board has been scrolled into view
let since = 0; // lines of the log before the last decision made on this page

function element(tag, words, kind) {
  const made = document.createElement(tag);
  if (words !== undefined) made.textContent = words;
  if (kind) made.className = kind;
  return made;
}

class Unreached extends Error {}
const AGAIN = "The server does not answer; trying again …", PATIENCE = 2000; // ms until a page asks again

async function ask(path, body) {
  const request = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, request).catch(() => { throw new Unreached("the server does not answer"); });
  const kind = answer.headers.get("content-type") || "";
  const found = kind.includes("json") ? await answer.json() : await answer.text();
  if (!answer.ok) throw new Error(found.error || found.detail?.[0]?.msg || `the server says ${answer.status}`);
  return found;
}

// -- a new game ----------------------------------------------------------------------------------------------------------------

function chosenGame() {
  return catalogue.games.find((game) => game.id === $("game").value);
}

function showSeats() {
  const game = chosenGame(), [low, high] = game.players;
  $("brief").textContent = game.brief;
  $("many").hidden = low === high;
  $("timed").hidden = !game.clock;
  const before = Number($("players").value) || Math.min(Math.max(low, 4), high);
  $("players").replaceChildren(...Array.from({ length: high - low + 1 }, (_, extra) => new Option(low + extra, low + extra)));
  $("players").value = Math.min(Math.max(before, low), high);
  const seats = [], kept = [...$("seats").querySelectorAll(".who")].map((select) => select.value);
  for (let seat = 0; seat < Number($("players").value); seat += 1) {
    const row = element("div", undefined, `seat p${seat}`);
    const who = element("select", undefined, "who");
    who.setAttribute("aria-label", `who plays player_${seat}`);
    who.append(...[catalogue.person, ...catalogue.agents].map((name) => new Option(name, name)));
    who.value = kept[seat] ?? (seat === 0 ? catalogue.person : "medium");
    row.append(element("b", `player_${seat}`), who);
    if (game.sides.length) {
      const side = element("select", undefined, "side");
      side.setAttribute("aria-label", `${game.side} of player_${seat}`);
      side.append(...game.sides.map((name) => new Option(name.replaceAll("_", " "), name)), new Option("any", ANY));
      side.selectedIndex = seat % game.sides.length;
      row.append(side);
    }
    seats.push(row);
  }
  $("seats").replaceChildren(...seats);
}

// What the seats bring; each "any" is replaced by a random side that no other seat has.
function drawn(sides) {
  const left = chosenGame().sides.filter((side) => !sides.includes(side)).sort(() => Math.random() - 0.5);
  return sides.map((side) => (side === ANY ? left.pop() ?? chosenGame().sides[0] : side));
}

async function begin(event) {
  event.preventDefault();
  $("complaint").textContent = "";
  $("begin").disabled = true;
  const values = (kind) => [...$("seats").querySelectorAll(kind)].map((select) => select.value);
  const wanted = { game: $("game").value, seats: values(".who"), sides: drawn(values(".side")) };
  if ($("seed").value) wanted.seed = Number($("seed").value);
  const slow = setTimeout(() => { $("complaint").textContent = "the game is being compiled, once, up to a minute …"; }, 1500);
  try {
    wanted.clock = chosenGame().clock && $("clock").checked;
    const [place, path] = wanted.clock ? ["clock", "/api/clocks"] : ["play", "/api/sessions"];
    location.hash = `${place}=${(await ask(path, wanted)).id}`;
    $("complaint").textContent = "";
  } catch (error) {
    $("complaint").textContent = error.message;
  }
  clearTimeout(slow);
  $("begin").disabled = false;
}

// -- a game that is played -------------------------------------------------------------------------------------------------------

async function enter(id, clocked) {
  leave();
  const mine = ++entered;
  if (!/^[\w-]+$/.test(id)) { // or else it could ask for another path
    $("status").textContent = "There is no such game.";
    return;
  }
  session = id;
  placed = false;
  clock = clocked ? { frame: 0, painted: 0, said: 0 } : null;
  $("status").textContent = "Loading …";
  lines = [];
  since = 0;
  seen = null;
  cards = new Map();
  const place = clocked ? "clocks" : "sessions";
  let texts = [];
  try {
    texts = await ask(`/api/${place}/${id}/cards`);
  } catch (error) {
    if (mine === entered && session) $("note").textContent = error.message;
  }
  if (mine !== entered || !session) return; // another page has been chosen since
  for (const card of texts) cards.set(card.name, card.lines);
  $("read").replaceChildren(new Option("read a card …", ""), ...[...cards.keys()].sort().map((name) => new Option(name, name)));
  $("reading").hidden = !cards.size;
  connect(place);
}

function leave() {
  stop();
  session = "";
  eyes = null;
  clock = seen = null;
  waiting = [];
  $("cover").close();
  $("open-hands").checked = false;
  $("recording").hidden = $("replay").hidden = false;
  for (const part of ["after", "watch", "ahead", "slap", "clocked", "tools", "log-keys", "reading"]) $(part).hidden = true;
  for (const part of ["picture", "choices", "log", "status", "news", "note", "question", "behind", "words"]) $(part).replaceChildren();
  if (socket) socket.close();
  socket = null;
}

function connect(place) {
  const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/${place}/${session}`);
  socket = mine;
  mine.addEventListener("message", (event) => {
    if (socket !== mine) return;
    retries = 0;
    heard(JSON.parse(event.data));
  });
  mine.addEventListener("close", () => {
    if (socket !== mine || !session) return;
    if (clock) {
      if (clock.over) return;
      $("status").textContent = "The server has gone; a game against the clock cannot go on.";
      ended();
      return;
    }
    $("status").textContent = AGAIN;
    lines = [];
    setTimeout(() => session && socket === mine && connect(place), Math.min(4000, 250 * 2 ** retries));
    retries += 1;
  });
}

function say(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function heard(message) {
  if (message.type === "view") {
    waiting.push(message);
    showNext();
  } else if (message.type === "hint") {
    if (seen && message.at === seen.at) {
      if ($("judge").checked) judge(message.chance);
      if (curious !== message.at || hinted !== null) return; // the request was only for who is ahead
      hinted = message.action;
      $("note").textContent = message.text + (message.chance === null ? "" : ` (wins about ${Math.round(100 * message.chance)} %)`);
      showChoices();
    }
  } else if (message.type === "clock") {
    tick(message);
  } else if (message.type === "gone") {
    leave();
    $("status").textContent = message.text;
  } else {
    if (seen && !waiting.length && !$("choices").children.length) showChoices(); // the choice was refused
    noted = message.text;
    if (!showing && !waiting.length) showNote();
  }
}

function showNote() {
  $("note").textContent = noted;
  noted = "";
}

// If people share the screen, a hand is shown only after its player says that they sit there.
function handedOver(view) {
  if ($("cover").open) return false;
  if (view.you === null || view.you === eyes || !view.shared || $("open-hands").checked) return true;
  for (const part of ["picture", "choices", "news", "question", "behind", "words", "note"]) $(part).replaceChildren();
  $("ahead").hidden = true;
  $("status").textContent = `player_${view.you} is to move.`;
  $("cover-words").textContent = `Hand the screen to player_${view.you}.`;
  $("uncover").textContent = `Show player_${view.you}'s hand`;
  cover();
  return false;
}

function cover() {
  $("cover").returnValue = "";
  $("cover").showModal();
}

// Called when the cover closes: by its button, or by a key with which the browser closes a dialog.
function uncovered() {
  if (!waiting.length) return;
  if (!$("cover").returnValue) return cover();
  held = true;
  eyes = waiting[0].you;
  showNext();
}

function showNext() {
  if (showing || !waiting.length || !handedOver(waiting[0])) return;
  const view = waiting.shift();
  eyes = view.you;
  show(view);
  showing = waiting.length > 0 || (view.who !== null && view.choices.length === 0 && !view.watching);
  if (showing) setTimeout(() => { showing = false; showNext(); }, AGENTS_PAUSE);
}

// Whether the keyboard focus is on the board or the choices; it stays there from one decision to the next.
function atChoices() {
  return $("picture").contains(document.activeElement) || $("choices").contains(document.activeElement);
}

function show(view) {
  const inside = held || atChoices();
  held = inside && view.choices.length === 0;
  seen = view;
  only = null;
  hinted = curious = null;
  const first = !$("picture").children.length;
  $("picture").innerHTML = view.svg;
  showNote();
  showLog(view);
  $("status").textContent = statusOf(view);
  $("question").textContent = view.over ? lines.at(-1) ?? "" : sentence(view.asked);
  $("behind").textContent = view.question;
  $("behind").tabIndex = NARROW.matches && view.question ? 0 : -1; // on a phone the text may need scrolling
  if (NARROW.matches) {
    if (view.choices.length) $("words").replaceChildren(); // the choices take its place
    fit();
  }
  $("tools").hidden = $("log-keys").hidden = view.watching || view.over;
  $("watch").hidden = !view.watching || view.over;
  $("after").hidden = !view.over;
  $("recording").href = `/api/sessions/${session}/recording`;
  $("replay").href = `/api/sessions/${session}/replay`;
  if (view.over) stop();
  if (view.over || !$("judge").checked) $("ahead").hidden = true;
  showChoices();
  if (first || !placed) showBoard(); // without the choices the page is too short to scroll
  placed ||= view.watching || view.choices.length > 0;
  if (inside) ($("choices").querySelector("button.first") ?? $("choices").querySelector("button"))?.focus({ preventScroll: NARROW.matches });
  $("turn").scrollTop = 0;
  if ($("judge").checked && view.choices.length > 1) say({ type: "hint", at: view.at });
  if (running && !view.over) {
    clearTimeout(running);
    running = setTimeout(go, Number($("pace").value));
  }
}

const sentence = (words) => words && `${words[0].toUpperCase()}${words.slice(1)}.`;

// Only new lines are added, so that a screen reader does not begin again from the first line.
function showLog(view) {
  const log = $("log");
  lines.length = Math.min(lines.length, view.from);
  lines.push(...view.lines);
  since = view.watching ? view.from : Math.min(since, lines.length);
  while (log.childElementCount > view.from) log.lastChild.remove();
  log.append(...lines.slice(log.childElementCount).map((words) => element("p", words)));
  [...log.children].forEach((line, number) => { line.className = number >= since ? "now" : ""; });
  log.scrollTop = log.scrollHeight;
  $("news").textContent = lines.slice(since, view.over ? -1 : undefined).slice(-3).join(" · "); // the very last line is shown below
}

// The choices may fill the space below the board, and the text of a question the space that the choices leave.
function fit() {
  $("turn").style.setProperty("--rest", `${window.innerHeight - $("picture").offsetHeight}px`);
  $("turn").style.setProperty("--words", "0px");
  $("turn").style.setProperty("--words", `${$("behind").scrollHeight}px`);
}

// Scroll the board into view, above the choices.
function showBoard() {
  if (NARROW.matches && Math.abs($("picture").getBoundingClientRect().top) > 24) $("picture").scrollIntoView();
}

function statusOf(view) {
  if (view.over) return view.result;
  if (view.choices.length) return `Your decision, player_${view.mover}.`;
  return view.watching ? `player_${view.mover} (${view.who}) is to move.` : `player_${view.mover} (${view.who}) is thinking …`;
}

function showChoices() {
  const shown = seen.choices.filter(([action]) => only === null || only.includes(action));
  const buttons = shown.map(([action, words], number) => {
    const button = element("button", undefined, action === seen.nothing ? "first" : "");
    label(button, KEYS[number], words);
    if (action === hinted) button.classList.add("hinted");
    button.addEventListener("click", () => choose(action));
    // With a finger, a text that appears would move the choice away.
    button.addEventListener("pointerenter", () => FINGER.matches || tell(words));
    button.addEventListener("focus", () => FINGER.matches || tell(words));
    return button;
  });
  if (only !== null) {
    const all = element("button", "all choices", "all");
    all.addEventListener("click", () => { only = null; showChoices(); });
    buttons.push(all);
  }
  $("choices").replaceChildren(...buttons);
}

// The key of a choice is no part of its name: key 1 of "5 cards" would be read as 15 cards.
function label(button, key, words) {
  if (key) {
    const shown = element("kbd", key);
    shown.ariaHidden = "true";
    button.setAttribute("aria-keyshortcuts", key);
    button.append(shown);
  }
  button.append(words);
}

function choose(action) {
  only = null;
  if (!seen || !seen.choices.length || !$("choices").children.length) return;
  held = atChoices();
  since = lines.length;
  say({ type: "choose", at: seen.at, action });
  showBoard();
  // Until the next position comes every choice looks the same, so nobody sees whether others had a choice.
  $("choices").replaceChildren();
  $("status").textContent = "…";
  showing = true;
  setTimeout(() => { showing = false; showNext(); }, AGENTS_PAUSE);
}

// Show the text of a card: the one named, or the one with the longest name that a choice contains.
function tell(words) {
  if (!words) return;
  let name = cards.has(words) ? words : "";
  if (!name) for (const one of cards.keys()) if (words.includes(one) && one.length > name.length) name = one;
  if (!name) return;
  const shut = element("button", "×", "shut");
  shut.setAttribute("aria-label", `close the text of ${name}`);
  shut.addEventListener("click", () => $("words").replaceChildren());
  $("words").replaceChildren(element("p", name, "status"), ...cards.get(name).map((line) => element("p", line)), shut);
  if (FINGER.matches) $("turn").scrollTop = 0;
}

function judge(chance) {
  $("ahead").hidden = false;
  $("chance").hidden = chance === null;
  $("chance").value = chance ?? 0.5;
  $("chance-words").textContent = chance === null
    ? "The champion of this game tells no chances."
    : `you win in about ${Math.round(100 * chance)} of 100 such games`;
}

function picked(event) {
  const spot = event.target.closest("[data-action]");
  if (!spot || !$("choices").children.length) return; // there is no choice here, or it has been made
  event.preventDefault();
  const actions = spot.dataset.action.split(" ").map(Number);
  // A finger cannot hover, so a touch shows the card first, and the choice is made from the list.
  if (actions.length === 1 && event.pointerType !== "touch") return choose(actions[0]);
  only = actions;
  showChoices();
  $("choices").querySelector("button").focus({ preventScroll: FINGER.matches });
}

// -- against the clock ---------------------------------------------------------------------------------------------------------

// Show a frame of the game. A slap is measured from the moment at which the frame is painted.
function tick(message) {
  $("picture").innerHTML = message.svg;
  // Only new lines are added, so that a screen reader reads each of them once.
  $("log").append(...message.lines.slice(Math.max(0, clock.said - message.from)).map((words) => element("p", words)));
  while ($("log").childElementCount > message.lines.length) $("log").firstChild.remove();
  clock.said = message.from + message.lines.length;
  $("news").textContent = message.begun ? message.lines.slice(-2).join(" · ") : "";
  const begin = FINGER.matches ? "Tap the board or the button to begin." : "Press the space bar to begin.";
  const status = message.result || (message.asked.length ? "Your decision; the clock stands." : message.begun ? message.barred || "Slap when there is something to slap." : begin);
  if ($("status").textContent !== status) $("status").textContent = status;
  $("question").textContent = message.asked.length ? sentence(message.question) : "";
  $("slap").textContent = `${message.begun ? "Slap" : "Begin"}${FINGER.matches ? "" : " (space bar)"}`;
  $("slap").disabled = message.asked.length > 0 || message.barred !== "";
  $("choices").replaceChildren(...message.asked.map(([key, words]) => {
    const button = element("button");
    label(button, key, words);
    button.addEventListener("click", () => press(key));
    return button;
  }));
  clock.frame = message.frame;
  clock.painted = performance.now();
  clock.over = message.result !== "";
  clock.asked = message.asked.map(([key]) => key);
  clock.begun = message.begun;
  $("slap").hidden = $("clocked").hidden = false;
  if (message.frame === 1) {
    fit();
    showBoard();
  }
  if (clock.over) return ended();
  requestAnimationFrame(() => requestAnimationFrame((now) => {
    if (!clock || clock.frame !== message.frame) return;
    clock.painted = now;
    say({ frame: message.frame });
  }));
}

// A game against the clock can only be played again; nothing of it is kept.
function ended() {
  clock.over = true;
  clock.asked = [];
  $("choices").replaceChildren();
  $("question").textContent = "";
  $("slap").hidden = $("clocked").hidden = $("recording").hidden = $("replay").hidden = true;
  $("after").hidden = false;
}

function press(key, at = performance.now()) {
  if (clock && !clock.over) say({ frame: clock.frame, key, ms: Math.max(0, at - clock.painted) });
}

let touched = null;

function slap(at) {
  if (clock && !clock.asked?.length) press(" ", at);
}

// -- a game that is watched --------------------------------------------------------------------------------------------------------

function go() {
  if (seen && !seen.over) say({ type: "go", at: seen.at });
}

function stop() {
  clearTimeout(running);
  running = 0;
  $("run").textContent = "Play";
}

function run() {
  if (running) return stop();
  $("run").textContent = "Pause";
  running = 1;
  go();
}

// -- replays -------------------------------------------------------------------------------------------------------------------

async function open() {
  const file = $("file").files[0];
  $("unreadable").textContent = "";
  if (!file) return;
  try {
    if (file.size > 200000) throw new Error("this file is too large for a replay");
    $("unreadable").textContent = "opening …";
    location.href = (await ask("/api/recordings", { text: await file.text() })).page;
  } catch (error) {
    $("unreadable").textContent = error.message;
  }
}

// -- card files ----------------------------------------------------------------------------------------------------------------

let files = null, typing = 0, checking = 0, watchingChanges = 0, checked = "", playable = false;

function kind() {
  return files.find((one) => one.game === $("kind").value);
}

async function enterCards() {
  if (!files) {
    try {
      files = await ask("/api/cards");
    } catch (error) {
      unreached(error);
      return;
    }
    present();
    $("kind").append(...files.map((one) => new Option(one.title, one.game)));
    const [game, name] = (sessionStorage.getItem("file") ?? "").split(" "); // the file that was shown last
    if (files.some((one) => one.game === game)) $("kind").value = game;
    showNames(name);
  } else follow();
}

function showNames(shown) {
  for (const [part, names] of [["card", kind().names], ["other", kind().sides]]) {
    $(part).replaceChildren(...names.map((name) => new Option(name.replaceAll("_", " "), name)));
  }
  if (kind().names.includes(shown)) $("card").value = shown;
  $("other").selectedIndex = Math.min(1, kind().sides.length - 1);
  $("rival").replaceChildren(...catalogue.agents.map((name) => new Option(name, name)));
  $("rival").value = "medium";
  $("comparing").hidden = !kind().compared;
  showFile();
}

// The key under which the typed text of the chosen file is kept until the tab is closed. `shown`: the key of the text on screen.
const draft = () => `draft ${$("kind").value} ${$("card").value}`;
let shown = "";

async function showFile() {
  const place = draft(), kept = sessionStorage.getItem(place);
  clearTimeout(typing);
  checking += 1; // a check of the text shown before may still be answered
  let text = kept;
  try {
    text ??= await ask(`/api/cards/${$("kind").value}/${$("card").value}`);
  } catch (error) {
    if (place !== draft()) return;
    $("yaml").value = shown = ""; // not the text of the file shown before
    playable = false;
    $("drafted").hidden = $("try").disabled = $("compare").disabled = true;
    $("findings").replaceChildren(element("p", error instanceof Unreached ? AGAIN : error.message, "wrong"));
    if (error instanceof Unreached) setTimeout(() => place === draft() && showFile(), PATIENCE);
    return;
  }
  if (place !== draft()) return; // another file has been chosen since
  sessionStorage.setItem("file", `${$("kind").value} ${$("card").value}`);
  $("yaml").value = text;
  shown = place;
  $("drafted").hidden = kept === null;
  checkFile();
}

function asInstalled() {
  if (sessionStorage.getItem(draft()) !== null && !confirm("Throw away what you have typed in this file?")) return;
  sessionStorage.removeItem(draft());
  showFile();
}

function typed() {
  if (shown !== draft()) return; // the text of another file is on its way
  sessionStorage.setItem(shown, $("yaml").value);
  $("drafted").hidden = false;
  clearTimeout(typing);
  typing = setTimeout(checkFile, 300);
}

const typedFile = () => ({ game: $("kind").value, name: $("card").value, text: $("yaml").value });

async function checkFile() {
  const number = ++checking;
  let found;
  try {
    found = await ask("/api/cards/check", typedFile());
  } catch (error) {
    if (error instanceof Unreached && number === checking) { // which says nothing about the file
      playable = false;
      $("try").disabled = $("compare").disabled = true;
      $("findings").replaceChildren(element("p", AGAIN, "wrong"));
      typing = setTimeout(checkFile, PATIENCE);
      return;
    }
    found = { errors: [error.message], warnings: [], page: "" };
  }
  if (number !== checking) return; // something was typed since
  const good = playable = found.errors.length === 0, played = kind().sides.includes($("card").value);
  checked = found.key;
  $("refused").textContent = "";
  $("findings").replaceChildren(
    element("p", good && played ? "This file can be played." : good ? `This file has no mistake. It is no ${kind().noun.replaceAll("_", " ")}, so it is not played by itself.` : "This file cannot be played:", "status"),
    ...found.errors.map((words) => element("p", words, "wrong")),
    ...found.warnings.map((words) => element("p", words, "warned")),
  );
  if (good) $("page").textContent = found.page;
  $("older").hidden = good || !$("page").textContent;
  $("try").disabled = !good || !played;
  follow();
}

async function tryIt() {
  try {
    const wanted = { ...typedFile(), other: $("other").value, against: $("rival").value };
    location.hash = `play=${(await ask("/api/cards/play", wanted)).id}`;
  } catch (error) {
    $("findings").replaceChildren(element("p", error.message, "wrong"));
  }
}

let starting = false;

async function compareIt() {
  starting = $("compare").disabled = true;
  $("compared").textContent = "it begins …";
  $("whose").textContent = $("refused").textContent = "";
  $("changes").replaceChildren();
  try {
    await ask("/api/cards/compare", typedFile());
  } catch (error) {
    $("refused").textContent = error.message;
  }
  starting = false;
  follow();
}

async function follow() {
  clearTimeout(watchingChanges);
  let found;
  try {
    found = await ask("/api/cards/comparison");
  } catch (error) {
    if (!$("progress").hidden) $("compared").textContent = AGAIN;
    if (!$("cards").hidden) watchingChanges = setTimeout(follow, PATIENCE);
    return;
  }
  if (starting) return; // a new comparison is about to begin
  $("compare").disabled = !playable || Boolean(found?.running);
  $("progress").hidden = $("halt").hidden = !found?.running;
  if (!found) { // there is no comparison
    $("compared").textContent = "";
    return;
  }
  $("progress").max = found.total;
  $("progress").value = found.done;
  const hands = `after ${found.seconds} s, in the hands of ${found.agent}`;
  $("compared").textContent = found.running ? `${found.done} of at most ${found.total} games` : found.finished ? hands : `${found.problem} ${found.rows.length ? `Unfinished, ${hands}.` : ""}`;
  const side = found.side.replaceAll("_", " ");
  $("whose").textContent = found.key === checked ? `This is about the text of ${side} that is shown.` : `This is about another text (${side}) than the one shown.`;
  showChanges(found);
  if (found.running && !$("cards").hidden) watchingChanges = setTimeout(follow, 700);
}

function showChanges(found) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`, points = (share) => (100 * share).toFixed(1);
  const rows = found.rows.map((row) => {
    const difference = `${points(row.difference)} (${points(row.low)} to ${points(row.high)})`;
    // "Surely" only holds for a comparison that was not stopped because of what it showed.
    return [row.other.replaceAll("_", " "), percent(row.before), percent(row.after), difference, !found.finished ? "so far" : row.surely ? "surely" : ""];
  });
  const heads = [`${found.side.replaceAll("_", " ")} against`, "before", "after", "difference in points (95 %)", ""];
  $("changes").replaceChildren(...(rows.length ? [tableOf(heads, rows, "what the edit changes")] : []));
}

// -- results -------------------------------------------------------------------------------------------------------------------

let growing = 0;

async function showResults() {
  clearTimeout(growing);
  let found = [];
  try {
    found = await ask("/api/results");
    $("stale").textContent = "";
  } catch (error) {
    $("stale").textContent = error instanceof Unreached ? AGAIN : error.message;
    if (!$("results").hidden) growing = setTimeout(showResults, PATIENCE);
    return;
  }
  const old = [...$("found").children];
  // What has not changed stays, with the keyboard focus and how far its table is scrolled.
  const parts = found.map((one, number) => (old[number]?.told === JSON.stringify(one) ? old[number] : resultOf(one)));
  if (!found.length) parts.push(element("p", "Name files of arenas or folders of training runs: react-env web runs/first arena.db"));
  if (parts.length !== old.length) $("found").replaceChildren(...parts);
  else parts.forEach((part, number) => { if (part !== old[number]) old[number].replaceWith(part); });
  if (!$("results").hidden && found.length) growing = setTimeout(showResults, PATIENCE);
}

function resultOf(one) {
  const part = element("section");
  part.told = JSON.stringify(one);
  part.append(element("h2", one.name), element("p", one.problem || one.note, one.problem ? "wrong" : "dim"));
  const picture = element("div", undefined, "curve");
  picture.innerHTML = one.svg;
  part.append(picture);
  if (one.rows.length) part.append(tableOf(one.heads, one.rows, one.name));
  return part;
}

// A table that scrolls sideways if it is wider than the page.
function tableOf(heads, rows, about) {
  const table = element("table"), around = element("div", undefined, "wide");
  around.tabIndex = 0;
  around.setAttribute("role", "region");
  around.setAttribute("aria-label", about);
  around.append(table);
  const line = (kind, words) => {
    const row = element("tr");
    row.append(...words.map((word) => element(kind, word)));
    return row;
  };
  table.append(line("th", heads), ...rows.map((row) => line("td", row)));
  return around;
}

// -- the page --------------------------------------------------------------------------------------------------------------------

// Whether a part of the page takes keys itself: text is typed there, or a list is open.
function takesKeys(part) {
  if (part.tagName === "SELECT") return !CSS.supports("selector(:open)") || part.matches(":open");
  return part.tagName === "TEXTAREA" || (part.tagName === "INPUT" && part.type !== "checkbox");
}

const PRESSED = ["BUTTON", "A", "SELECT"]; // Enter acts on these themselves

function keys(event) {
  if ($("board").hidden || takesKeys(event.target)) return;
  if (event.repeat) { // a key that is held down acts once, and neither makes the next decision nor uncovers the next hand
    if (event.key === "Enter" || (clock && event.key === " ")) event.preventDefault();
    return;
  }
  if (clock) {
    if (!clock.begun && event.key === "Enter" && !PRESSED.includes(event.target.tagName)) press(" ", event.timeStamp);
    else if (event.key === " " || event.key === "q" || clock.asked?.includes(event.key)) {
      press(event.key, event.timeStamp);
      event.preventDefault();
    }
    return;
  }
  if (!seen || seen.watching || seen.over || $("cover").open || event.ctrlKey || event.altKey || event.metaKey) return;
  const spot = event.target.closest?.("[data-action]");
  const number = KEYS.indexOf(event.key);
  if ((event.key === "Enter" || event.key === " ") && spot) picked(event);
  else if (event.key === "Enter" && !PRESSED.includes(event.target.tagName) && seen.nothing !== null) choose(seen.nothing);
  else if (number >= 0) $("choices").querySelectorAll("button")[number]?.click();
  else if (event.key === "u") $("undo").click();
  else if (event.key === "h") $("hint").click();
  else if (event.key === "Escape") { only = null; showChoices(); }
  else return;
  event.preventDefault();
}

// Show the page that the address names, once its data has arrived.
function present() {
  const [place, id] = location.hash.slice(1).split("=");
  const page = ["play", "clock"].includes(place) && id ? "board" : ["open", "cards", "results"].includes(place) ? place : "new";
  const there = page === "new" ? catalogue : page === "cards" ? catalogue && files : true;
  $("loading").hidden = Boolean(there);
  for (const name of ["new", "open", "cards", "results", "board"]) $(name).hidden = name !== page || !there;
  return [page, place, id];
}

function unreached(error) {
  $("loading").textContent = `${sentence(error.message)} Load this page again.`;
}

function route() {
  const [page, place, id] = present();
  let title = "Game";
  for (const link of document.querySelectorAll("nav a")) {
    link.ariaCurrent = link.hash === `#${page}` ? "page" : null;
    if (link.ariaCurrent) title = link.textContent;
  }
  document.title = `${title} - react_env`;
  window.scrollTo(0, 0);
  if (page === "board") enter(id, place === "clock");
  else leave();
  if (page === "cards" && catalogue) enterCards();
  if (page === "results") showResults();
}

async function main() {
  $("game").addEventListener("change", () => { $("players").value = ""; showSeats(); });
  $("players").addEventListener("change", showSeats);
  $("form").addEventListener("submit", begin);
  $("form").addEventListener("change", () => { $("complaint").textContent = ""; });
  $("file").addEventListener("change", open);
  $("picture").addEventListener("click", picked);
  for (const kind of ["pointerover", "focusin", "click"]) {
    $("picture").addEventListener(kind, (event) => {
      const name = event.target.closest("[data-card]")?.dataset.card;
      if (name) tell(name);
    });
  }
  for (const part of ["slap", "picture"]) {
    $(part).addEventListener("pointerdown", (event) => {
      if (part === "picture" && event.pointerType === "touch") touched = event.timeStamp;
      else slap(event.timeStamp);
    });
  }
  // A finger may want to scroll, which is known only when it leaves; a slap counts from when it came down.
  $("picture").addEventListener("pointerup", () => { if (touched !== null) slap(touched); touched = null; });
  $("picture").addEventListener("pointercancel", () => { touched = null; });
  // By the keyboard or a screen reader.
  $("slap").addEventListener("click", (event) => event.detail === 0 && slap(event.timeStamp));
  $("read").addEventListener("change", () => tell($("read").value));
  $("cover").addEventListener("cancel", (event) => event.preventDefault());
  $("cover").addEventListener("close", uncovered);
  $("undo").addEventListener("click", () => seen && say({ type: "undo", at: seen.at }));
  $("hint").addEventListener("click", () => { if (!seen) return; curious = seen.at; hinted = null; $("note").textContent = "asking …"; $("turn").scrollTop = 0; say({ type: "hint", at: seen.at }); });
  $("judge").addEventListener("change", () => {
    if (seen && $("judge").checked) say({ type: "hint", at: seen.at });
    else $("ahead").hidden = true;
  });
  $("step").addEventListener("click", go);
  $("run").addEventListener("click", run);
  $("quit").addEventListener("click", () => press("q"));
  $("again").addEventListener("click", () => { location.hash = "new"; });
  $("kind").addEventListener("change", () => showNames());
  $("card").addEventListener("change", showFile);
  $("reset").addEventListener("click", asInstalled);
  $("yaml").addEventListener("input", typed);
  $("try").addEventListener("click", tryIt);
  $("compare").addEventListener("click", compareIt);
  $("halt").addEventListener("click", () => ask("/api/cards/stop", {}).catch(() => {})); // `follow` says so if the server does not answer
  document.addEventListener("keydown", keys);
  window.addEventListener("hashchange", route);
  window.addEventListener("pageshow", () => { $("unreadable").textContent = ""; }); // back from a replay
  window.addEventListener("resize", fit);
  route();
  try {
    catalogue = await ask("/api/games");
  } catch (error) {
    unreached(error);
    return;
  }
  $("game").append(...catalogue.games.map((game) => new Option(game.title, game.id)));
  showSeats();
  if (present()[0] === "cards") enterCards();
}

main();
