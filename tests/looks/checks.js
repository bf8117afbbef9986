// What a page is looked at for. Each check gives a list of what is wrong, in words.
(() => {
  // Colours as red, green, blue and opacity, whatever notation the browser has for one.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const read = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, opacity / 255];
  };
  const over = (above, below) => {
    const share = above[3];
    return [0, 1, 2].map((nth) => above[nth] * share + below[nth] * (1 - share)).concat(1);
  };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;

  // What is behind an element: its own background, over those of what it is in.
  const behind = (element) => {
    const layers = [];
    for (let own = element; own; own = own.parentElement) {
      layers.push(read(getComputedStyle(own).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    const canvas = dark && getComputedStyle(document.documentElement).colorScheme.includes("dark") ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return layers.reverse().reduce((below, layer) => over(layer, below), canvas);
  };

  // Words in a picture stand on the last of the shapes that were drawn below them before.
  const drawnBehind = (text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const svg = text.ownerSVGElement;
    let ground = behind(svg.parentElement ?? svg);
    for (const shape of svg.querySelectorAll("rect, polygon, text")) {
      if (shape === text) break;
      const box = shape.getBoundingClientRect();
      const holds = shape.tagName !== "text" && box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
      const { fill, fillOpacity, opacity } = getComputedStyle(shape);
      if (holds && fill !== "none") {
        const colour = read(fill);
        ground = over([...colour.slice(0, 3), colour[3] * fillOpacity * opacity], ground);
      }
    }
    return ground;
  };

  // Relative luminance and contrast as WCAG 2.1 defines them.
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  const name = (element) => {
    const classes = typeof element.className === "string" ? element.className : element.className.baseVal;
    return element.tagName.toLowerCase() + (classes ? "." + classes.trim().replace(/\s+/g, ".") : "");
  };
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    const is = element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    return is && box.width > 1 && box.height > 1;
  };
  // Whoever reads can scroll to it.
  const scrolls = (element) => {
    for (let own = element.parentElement; own; own = own.parentElement) {
      const overflow = getComputedStyle(own).overflowX;
      if (overflow === "auto" || overflow === "scroll" || overflow === "hidden") return true;
    }
    return false;
  };

  const cut = () => {
    const width = document.documentElement.scrollWidth;
    if (width <= innerWidth) return [];
    const wide = [...document.body.querySelectorAll("*")].filter((own) => shown(own) && own.getBoundingClientRect().right > innerWidth + 1 && !scrolls(own));
    const last = wide.filter((own) => !wide.some((other) => other !== own && own.contains(other)));
    return [`${width} pixels of ${innerWidth}: ` + last.slice(0, 5).map(name).join(", ")];
  };

  const faint = (least) => {
    const found = new Map();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const text = walk.currentNode.data.trim();
      const element = walk.currentNode.parentElement;
      if (!text || !shown(element) || element.closest("script, style, noscript")) continue;
      const style = getComputedStyle(element);
      const isDrawn = element instanceof SVGElement;
      const ink = read(isDrawn ? style.fill : style.color);
      const ground = isDrawn ? drawnBehind(element) : behind(element);
      const ratio = contrast(over(ink, ground), ground);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
      if (ratio < (large ? 3 : least)) {
        const key = `${name(element)}: ${ratio.toFixed(2)}`;
        if (!found.has(key)) found.set(key, text.slice(0, 40));
      }
    }
    return [...found].map(([key, text]) => `${key} for "${text}"`);
  };

  // Words in pictures that are drawn smaller than anybody reads.
  const tiny = (least) => {
    // Words that stand upright are as large as those that lie.
    const scale = (text) => Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
    const small = [...document.querySelectorAll("svg text")].filter(shown).map((text) => [text, parseFloat(getComputedStyle(text).fontSize) * scale(text)]);
    const found = small.filter(([text, size]) => size < least && text.textContent.trim());
    return found.slice(0, 3).map(([text, size]) => `${size.toFixed(1)} pixels for "${text.textContent.trim().slice(0, 40)}"`);
  };

  // What a legend's name is of, which nobody sees without its colour.
  const colourless = () => {
    const swatches = [...document.querySelectorAll(".swatch")].filter(shown);
    const bare = swatches.filter((own) => {
      const style = getComputedStyle(own);
      return read(style.backgroundColor)[3] === 0 && style.backgroundImage === "none";
    });
    return bare.slice(0, 3).map((own) => `the swatch of "${own.parentElement.textContent.trim().slice(0, 40)}"`);
  };

  // A plot that has nothing on it.
  const empty = () => {
    const blank = [...document.querySelectorAll("canvas")].filter(shown).filter((own) => {
      const { data } = own.getContext("2d").getImageData(0, 0, own.width, own.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4) seen.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
      return seen.size < 3;
    });
    return blank.map((own) => `a canvas of ${own.width} by ${own.height} in ${name(own.parentElement)}`);
  };

  return { cut: cut(), faint: faint(4.5), tiny: tiny(8), colourless: colourless(), empty: empty() };
})()
