// Draws the plots of a page with uPlot. What they show is JSON in the page itself.
"use strict";
(() => {
  const UNITS = {
    nanoseconds: [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]],
    bytes: ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].map((name, nth) => [2 ** (10 * nth), name]),
    bytes_per_second: [[1, "B/s"], [1e3, "kB/s"], [1e6, "MB/s"], [1e9, "GB/s"]],
    count: [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"]],
    percent: [[1, "%"]],
  };
  const SCALES = { linear: "linear", log: "logarithmic", robust: "without spikes" };
  const COLORS = 8;
  // Of the values above zero, so many are in view where spikes are left out, with room above them.
  const IN_VIEW = 0.95, ROOM = 1.25;
  const MOST_IN_TOOLTIP = 12;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // A value with three significant digits and a unit that fits.
  const text = (unit, value) => {
    if (value == null) return "–";
    const scales = UNITS[unit];
    const [size, name] = scales.findLast(([size]) => Math.abs(value) >= 0.9995 * size) ?? scales[0];
    const scaled = value / size;
    const whole = Math.abs(scaled) >= 99.95 || scaled === 0;
    const number = whole ? Math.round(scaled) : Number(scaled.toPrecision(3));
    return value === 0 ? "0" : `${number} ${name}`.trimEnd();
  };

  // A patch in the colour of a line, dashed if the line is.
  const swatchOf = ({ color, stroke }) => {
    const swatch = element("span", stroke === "dashed" ? "swatch dashed" : "swatch");
    swatch.style.setProperty("--ink", `var(--series-${color % COLORS})`);
    return swatch;
  };

  const element = (tag, name, content) => {
    const made = document.createElement(tag);
    made.className = name;
    if (content !== undefined) made.textContent = content;
    return made;
  };

  // Upper and lower end of the vertical axis for the lines that are shown.
  const range = (plot, scale, lines) => {
    const values = lines.flatMap((line) => line.values).filter((value) => value > 0);
    values.sort((a, b) => a - b);
    const highest = values.at(-1) ?? 1;
    if (scale === "log") return [(values[0] ?? 1) / 1.5, highest * 1.5];
    const most = values[Math.min(values.length - 1, Math.floor(values.length * IN_VIEW))] ?? 1;
    return [0, scale === "robust" ? Math.min(ROOM * most, 1.05 * highest) : 1.05 * highest];
  };

  const axis = ({ name, unit }, side) => ({
    side,
    label: name,
    labelSize: 22,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    size: side === 3 ? 74 : 34,
    gap: 6,
    stroke: () => color("--muted"),
    grid: { stroke: () => color("--grid"), width: 1, show: side === 3 },
    ticks: { stroke: () => color("--axis"), width: 1 },
    values: (_, values) => values.map((value) => (value == null ? "" : text(unit, value))),
  });

  // Vertical lines with their names, as far as there is room for them.
  const drawMarks = (u, marks) => {
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    ctx.setLineDash([]);
    ctx.fillStyle = color("--muted");
    ctx.strokeStyle = color("--axis");
    marks.forEach(({ at, name }, nth) => {
      const left = u.valToPos(at, "x", true), right = bbox.left + bbox.width;
      const next = marks[nth + 1] ? Math.min(u.valToPos(marks[nth + 1].at, "x", true), right) : right;
      if (left > right || next < bbox.left) return;
      const from = Math.max(left, bbox.left);
      if (left > bbox.left + 1) {
        ctx.beginPath();
        ctx.moveTo(left, bbox.top);
        ctx.lineTo(left, bbox.top + bbox.height);
        ctx.stroke();
      }
      let shown = name;
      const room = next - from - 8 * ratio;
      while (shown.length > 2 && ctx.measureText(shown).width > room) shown = `${shown.slice(0, -2)}…`;
      if (shown.length > 2) ctx.fillText(shown, from + 4 * ratio, bbox.top - 17 * ratio);
    });
    ctx.restore();
  };

  // Strips at the lower edge, coloured where something took place, the first one lowest.
  const BAND = 5, BAND_GAP = 1;
  const drawBands = (u, bands) => {
    const { ctx, bbox } = u, ratio = devicePixelRatio || 1, end = bbox.left + bbox.width;
    bands.forEach(({ color: nth, spans }, row) => {
      const top = bbox.top + bbox.height - (row + 1) * (BAND + BAND_GAP) * ratio;
      ctx.fillStyle = color(`--series-${nth % COLORS}`);
      spans.forEach(([from, to]) => {
        const left = Math.max(u.valToPos(from, "x", true), bbox.left);
        const right = Math.min(Math.max(u.valToPos(to, "x", true), left + 2 * ratio), end);
        if (left < right) ctx.fillRect(left, top, right - left, BAND * ratio);
      });
    });
  };

  // Two fingers move and stretch what lies between them; one moves the cursor.
  const heedTouch = (u, view) => {
    const log = u.scales.x.distr === 3;
    const [to, from] = log ? [Math.log, Math.exp] : [(value) => value, (value) => value];
    let held = null;
    const fingers = (event) => {
      const { left } = u.over.getBoundingClientRect();
      return [...event.touches].map(({ clientX }) => clientX - left).sort((a, b) => a - b);
    };
    u.over.addEventListener("touchstart", (event) => {
      const at = fingers(event);
      held = at.length === 2 ? at.map((place) => to(u.posToVal(place, "x"))) : null;
      if (held) event.preventDefault();
      else u.setCursor({ left: at[0], top: 0 });
    }, { passive: false });
    u.over.addEventListener("touchmove", (event) => {
      const [left, right] = fingers(event);
      if (!held || right === undefined) {
        u.setCursor({ left, top: 0 });
        return;
      }
      event.preventDefault();
      const step = (held[1] - held[0]) / Math.max(right - left, 1);
      const min = held[0] - left * step;
      zoom(view, { min: from(min), max: from(min + u.over.clientWidth * step) });
    }, { passive: false });
  };

  // Plots over virtual time are zoomed together, those of jobs and those of the drive: the library does it where a
  // range is dragged.
  const isOverTime = ({ plot }) => plot.x.name === "virtual time";
  const together = (view) => (isOverTime(view) ? views.filter(isOverTime) : [view]);
  const zoom = (view, range) => together(view).forEach(({ u }) => u.setScale("x", range));
  const showAll = (view) => together(view).forEach(({ u }) => u.setData(u.data));

  // Maps over virtual time are pictures: what lies within them is stretched, and their last two texts name the ends.
  const maps = [...document.querySelectorAll("figure[data-end]")].map((figure) => {
    const [left, right, end] = ["left", "right", "end"].map((name) => Number(figure.dataset[name]));
    const cells = [...figure.querySelectorAll("rect")].map((rect) => {
      const [from, width] = ["x", "width"].map((name) => Number(rect.getAttribute(name)));
      return { rect, from, to: from + width };
    });
    const [first, last] = [...figure.querySelectorAll("text")].slice(-2);
    const ends = { first, last, names: [first, last].map((text) => text.textContent) };
    return { figure, left, right, end, cells: cells.filter(({ from, to }) => left <= from && to <= right + 2), ends };
  });
  const stretchMap = ({ left, right, end, cells, ends }, [from, to]) => {
    const isWhole = from === 0 && to === end;
    const scale = end / (to - from), start = left + ((right - left) * from) / end;
    const place = (x) => Math.min(Math.max(left + (x - start) * scale, left), right);
    cells.forEach(({ rect, from, to }) => {
      const [begin, stop] = isWhole ? [from, to] : [place(from), place(to)];
      rect.setAttribute("x", begin);
      rect.setAttribute("width", stop - begin);
    });
    const names = isWhole ? ends.names : [from, to].map((ns) => text("nanoseconds", ns));
    [ends.first.textContent, ends.last.textContent] = names;
  };
  // The range that maps show, in nanoseconds; none if it is the whole run.
  let inView = null;
  const stretchMaps = (range) => {
    if (String(inView) === String(range)) return;
    inView = range;
    maps.forEach((map) => {
      const [from, to] = range ?? [0, map.end];
      stretchMap(map, [Math.max(from, 0), Math.min(Math.max(to, from + 1), map.end)]);
    });
  };
  const follow = ({ u, plot }) => {
    const { min, max } = u.scales.x;
    if (min == null) return;
    stretchMaps(min <= plot.at[0] && max >= plot.at.at(-1) ? null : [min, max]);
  };

  // A range that is dragged over a map is zoomed into, too.
  const heedDrags = ({ figure, left, right, end }) => {
    const at = ({ clientX }) => {
      const svg = figure.querySelector("svg");
      const x = new DOMPoint(clientX, 0).matrixTransform(svg.getScreenCTM().inverse()).x;
      const [from, to] = inView ?? [0, end];
      return from + ((to - from) * (Math.min(Math.max(x, left), right) - left)) / (right - left);
    };
    let held = null;
    figure.addEventListener("pointerdown", (event) => {
      held = event.button === 0 ? at(event) : null;
    });
    addEventListener("pointerup", (event) => {
      if (held === null) return;
      const [min, max] = [held, at(event)].sort((a, b) => a - b);
      held = null;
      const view = views.find(isOverTime);
      if (view && max - min > end / 1000) zoom(view, { min, max });
    });
  };

  const dressed = (holder) => {
    const plot = JSON.parse(holder.querySelector("script").textContent);
    const tools = element("div", "tools"), legend = element("ul", "legend");
    const area = element("div", "area"), tooltip = element("div", "tooltip");
    const note = element("p", "note");
    holder.append(tools, area, note, legend);
    return { holder, plot, tools, area, tooltip, note, legend, scale: plot.y.scale };
  };

  const build = (view) => {
    const { holder, plot, tools, area, tooltip, note, legend } = view;
    const paths = uPlot.paths.stepped({ align: 1 });
    const isShown = (line, nth) => view.u.series[nth + 1].show;
    const shown = () => plot.lines.filter(isShown);
    const options = {
      width: area.clientWidth || 600,
      height: 260,
      padding: [plot.marks.length ? 22 : 10, 26, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: true },
        points: { size: 6 },
        sync: isOverTime(view) ? { key: "time", setSeries: false, scales: ["x", null] } : {},
      },
      scales: {
        x: { time: false, distr: plot.x.scale === "log" ? 3 : 1, log: plot.x.unit === "bytes" ? 2 : 10 },
        y: {
          distr: view.scale === "log" ? 3 : 1,
          range: () => (view.u ? range(plot, view.scale, shown()) : [0, 1]),
        },
      },
      axes: [axis(plot.x, 2), axis(plot.y, 3)],
      series: [{}].concat(plot.lines.map((line) => ({
        label: line.name,
        paths,
        width: 1.6,
        dash: line.stroke === "dashed" ? [4, 4] : undefined,
        stroke: () => color(`--series-${line.color % COLORS}`),
        points: { show: false },
        show: line.isHidden !== true,
      }))),
      hooks: {
        draw: [(u) => drawMarks(u, plot.marks), (u) => drawBands(u, plot.bands)],
        setCursor: [(u) => tell(u)],
        setSeries: [() => describe()],
        setScale: [(_, name) => name === "x" && view.u && isOverTime(view) && follow(view)],
      },
    };

    // What the lines are at the cursor.
    const tell = (u) => {
      const { idx, left, top } = u.cursor;
      tooltip.replaceChildren();
      tooltip.hidden = idx == null || left < 0;
      if (tooltip.hidden) return;
      tooltip.append(element("b", "", text(plot.x.unit, plot.at[idx])));
      const lines = plot.lines.filter(isShown).filter((line) => line.values[idx] != null);
      lines.slice(0, MOST_IN_TOOLTIP).forEach((line) => {
        const row = element("div", "", `${line.name}: ${text(plot.y.unit, line.values[idx])}`);
        row.prepend(swatchOf(line));
        tooltip.append(row);
      });
      const more = lines.length - MOST_IN_TOOLTIP;
      if (more > 0) tooltip.append(element("div", "", `and ${more} more`));
      const isThere = ({ spans }) => spans.some(([from, to]) => from <= plot.at[idx] && plot.at[idx] < to);
      plot.bands.filter(isThere).forEach((band) => {
        const row = element("div", "", band.name);
        row.prepend(swatchOf(band));
        tooltip.append(row);
      });
      const room = u.over.clientWidth - tooltip.offsetWidth - 16;
      tooltip.style.left = `${left < room ? left + 14 : Math.max(0, left - tooltip.offsetWidth - 14)}px`;
      tooltip.style.top = `${Math.max(0, Math.min(top, u.over.clientHeight - tooltip.offsetHeight))}px`;
    };

    // What the scale leaves out.
    const describe = () => {
      const values = shown().flatMap((line) => line.values).filter((value) => value != null);
      const highest = values.reduce((most, value) => Math.max(most, value), 0);
      const isCut = view.scale === "robust" && highest > range(plot, "robust", shown())[1];
      note.textContent = isCut ? `Spikes leave the plot: the highest is ${text(plot.y.unit, highest)}.` : "";
    };

    area.replaceChildren();
    const values = (line) => (view.scale === "log" ? line.values.map((v) => v || null) : line.values);
    view.u = new uPlot(options, [plot.at, ...plot.lines.map(values)], area);
    view.u.over.append(tooltip);
    heedTouch(view.u, view);
    tooltip.hidden = true;
    view.u.setData(view.u.data);
    describe();

    tools.replaceChildren();
    const choice = element("label", "", "scale ");
    const select = element("select", "");
    Object.entries(SCALES).forEach(([key, name]) => select.append(new Option(name, key)));
    select.value = view.scale;
    select.onchange = () => {
      view.scale = select.value;
      build(view);
    };
    choice.append(select);
    const whole = element("button", "", "whole width");
    whole.onclick = () => showAll(view);
    tools.append(choice, whole);

    legend.replaceChildren(...plot.lines.map((line, nth) => {
      const item = element("li", line.isHidden ? "off" : "", line.name);
      item.prepend(swatchOf(line));
      item.onclick = () => {
        line.isHidden = view.u.series[nth + 1].show;
        item.classList.toggle("off", line.isHidden);
        view.u.setSeries(nth + 1, { show: !line.isHidden });
      };
      return item;
    }));
    plot.bands.forEach((band) => {
      const item = element("li", "band", band.name);
      item.prepend(swatchOf(band));
      legend.append(item);
    });
    legend.hidden = plot.lines.length < 2 && plot.bands.length === 0;
  };

  const views = [...document.querySelectorAll(".chart")].map(dressed);
  views.forEach(build);
  maps.forEach(heedDrags);

  // One job alone, or all: rows of tables, bars and lines, and its time.
  document.querySelectorAll("select[data-jobs]").forEach((select) => {
    select.onchange = () => {
      const job = select.value;
      document.querySelectorAll("select[data-jobs]").forEach((other) => (other.value = job));
      document.querySelectorAll("[data-job]").forEach((row) => {
        row.hidden = job !== "" && row.dataset.job !== job;
      });
      views.filter(({ plot }) => plot.lines.some((line) => line.job != null)).forEach((view) => {
        view.plot.lines.forEach((line) => (line.isHidden = job !== "" && String(line.job) !== job));
        build(view);
      });
      const { from, to } = select.selectedOptions[0].dataset;
      views.filter(isOverTime).slice(0, 1).forEach((view) => {
        if (from === undefined) showAll(view);
        else zoom(view, { min: Number(from), max: Number(to) });
      });
    };
  });

  // A page that offers no choice of all begins with the first.
  document.querySelectorAll("select[data-jobs]").forEach((select) => select.value && select.onchange());

  const fit = () => views.forEach(({ u, area }) => u.setSize({ width: area.clientWidth, height: 260 }));
  addEventListener("resize", fit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => views.forEach(({ u }) => u.redraw()));
})();
