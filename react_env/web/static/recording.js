// Steps through a recorded game. The page contains all of it: the frames of each view, what was chosen, what happened, the cards.
"use strict";
const $ = (id) => document.getElementById(id);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function line(words, kind) {
  const element = document.createElement("p");
  element.textContent = words;
  if (kind) element.className = kind;
  return element;
}

async function main() {
  const game = await unpacked($("data").textContent.trim());
  const cards = new Map(game.cards.map((card) => [card.name, card.lines]));
  let at = 0, timer = 0;

  const seen = () => game.views[Number($("view").value)];
  const picture = (number) => seen().frames[number].map((part) => seen().parts[part]).join("\n");
  const chosen = (step) => (seen().player === null || seen().player === step.player ? step.words : "chooses");

  function show(number) {
    at = Math.max(0, Math.min(number, game.steps.length - 1));
    $("picture").innerHTML = picture(at);
    $("slider").value = at;
    const step = game.steps[at];
    $("where").textContent = `${at + 1} of ${game.steps.length}`;
    $("choice").textContent = step.words ? `player_${step.player}: ${chosen(step)}` : `the end: ${game.end}`;
    const lines = [];
    game.steps.slice(0, at + 1).forEach((one, number) => {
      one.lines.forEach((words) => lines.push(line(words, number === at ? "now" : "")));
      if (one.words && number < at) lines.push(line(`player_${one.player}: ${chosen(one)}`, "choice"));
    });
    $("log").replaceChildren(...lines.slice(-120));
    $("log").scrollTop = $("log").scrollHeight;
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    $("play").textContent = "Play";
  }

  function play() {
    if (timer) return stop();
    if (at === game.steps.length - 1) show(0);
    $("play").textContent = "Pause";
    timer = setInterval(() => (at < game.steps.length - 1 ? show(at + 1) : stop()), Number($("speed").value));
  }

  game.views.forEach((view, number) => $("view").append(new Option(view.name, number)));
  $("slider").max = game.steps.length - 1;
  $("slider").addEventListener("input", () => show(Number($("slider").value)));
  $("view").addEventListener("change", () => show(at));
  $("speed").addEventListener("change", () => timer && (stop(), play()));
  $("first").addEventListener("click", () => show(0));
  $("back").addEventListener("click", () => show(at - 1));
  $("next").addEventListener("click", () => show(at + 1));
  $("last").addEventListener("click", () => show(game.steps.length - 1));
  $("play").addEventListener("click", play);
  document.addEventListener("keydown", (event) => {
    if (["SELECT", "INPUT"].includes(event.target.tagName) || event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
    if (event.key in steps) show(at + steps[event.key]);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play();
    else return;
    event.preventDefault();
  });
  for (const kind of ["pointerover", "click", "focusin"]) {
    $("picture").addEventListener(kind, (event) => {
      const name = event.target.closest("[data-card]")?.dataset.card;
      if (name && cards.has(name)) $("words").replaceChildren(line(name, "choice"), ...cards.get(name).map((words) => line(words)));
    });
  }
  show(0);
}

main();
