// Whether a report's maps over time zoom with its plots. Gives a list of what is wrong, in words.
async () => {
  const wrong = [];
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const maps = [...document.querySelectorAll("figure[data-end]")];
  if (maps.length < 2) return [`${maps.length} maps over time, expected several`];
  const ends = () => maps.map((map) => [...map.querySelectorAll("text")].slice(-2).map((text) => text.textContent).join(" to "));
  const cells = () => maps.map((map) => [...map.querySelectorAll("rect")].filter((rect) => Number(rect.getAttribute("width")) > 0).length);
  const mouse = (type, target, x, y) => {
    // The library leaves out moves that are none.
    const options = { bubbles: true, cancelable: true, view: window, button: 0, clientX: x, clientY: y, movementX: 10 };
    target.dispatchEvent(type.startsWith("pointer") ? new PointerEvent(type, options) : new MouseEvent(type, options));
  };
  const expect = (what, now, are, before) => {
    now.forEach((own, nth) => {
      if ((own === before[nth]) !== are) wrong.push(`${what}: ${maps[nth].getAttribute("aria-label")} has ${own}, and had ${before[nth]}`);
    });
  };
  const whole = [ends(), cells()];
  const showAll = async () => {
    [...document.querySelectorAll(".chart button")].find((button) => button.closest(".chart").querySelector("script").textContent.includes("virtual time")).click();
    await drawn();
    expect("whole width again", ends(), true, whole[0]);
    expect("whole width again", cells(), true, whole[1]);
  };

  // Over a map.
  const canvas = [...document.querySelectorAll(".chart")].find((one) => one.querySelector("script").textContent.includes("virtual time")).querySelector("canvas");
  const before = canvas.toDataURL();
  const box = maps[0].querySelector("svg").getBoundingClientRect();
  mouse("pointerdown", maps[0], box.left + 0.4 * box.width, box.top + 0.5 * box.height);
  mouse("pointerup", maps[0], box.left + 0.6 * box.width, box.top + 0.5 * box.height);
  await drawn();
  expect("dragged over a map", ends(), false, whole[0]);
  expect("dragged over a map", cells(), false, whole[1]);
  if (canvas.toDataURL() === before) wrong.push("dragged over a map: the plot is as before");
  // Within what is in view, once more.
  const nearer = ends();
  mouse("pointerdown", maps[1], box.left + 0.4 * box.width, 0);
  mouse("pointerup", maps[1], box.left + 0.6 * box.width, 0);
  await drawn();
  expect("dragged over a part of a map", ends(), false, nearer);
  await showAll();

  // Over a plot.
  const over = canvas.closest(".area").querySelector(".u-over");
  const plot = over.getBoundingClientRect();
  const y = plot.top + 20;
  mouse("mouseenter", over, plot.left + 0.3 * plot.width, y);
  mouse("mousemove", over, plot.left + 0.3 * plot.width, y);
  mouse("mousedown", over, plot.left + 0.3 * plot.width, y);
  await drawn();
  mouse("mousemove", over, plot.left + 0.5 * plot.width, y);
  await drawn();
  mouse("mouseup", document, plot.left + 0.5 * plot.width, y);
  await drawn();
  expect("dragged over a plot", ends(), false, whole[0]);
  await showAll();
  return wrong;
}
