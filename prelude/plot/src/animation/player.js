const image = root.querySelector("img"), button = root.querySelector("button");
const slider = root.querySelector("input"), place = root.querySelector("output");
let at = 0, timer = null;
function show(next) {
  at = next;
  image.src = frames[at];
  slider.value = at;
  place.textContent = (at + 1) + " / " + frames.length;
}
function stop() {
  clearInterval(timer);
  timer = null;
  button.textContent = "\u25b6";
  button.setAttribute("aria-label", "play");
}
function play() {
  if (at === frames.length - 1) show(0);
  button.textContent = "\u23f8";
  button.setAttribute("aria-label", "pause");
  timer = setInterval(function () {
    if (!root.isConnected) return stop();
    if (at + 1 < frames.length) return show(at + 1);
    if (repeats) show(0); else stop();
  }, delay);
}
button.onclick = function () { if (timer === null) play(); else stop(); };
slider.oninput = function () { stop(); show(Number(slider.value)); };
play();
