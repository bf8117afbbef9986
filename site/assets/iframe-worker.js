// Browsers start no workers on a page that was opened from disk. The search runs in a hidden frame there, which looks to it as a
// worker does: messages go in and come out.
"use strict";
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const scope = this.frame.contentWindow;
      scope.postMessage = (data) => this.tell(data);
      const script = scope.document.createElement("script");
      script.src = String(url);
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      };
      script.onerror = () => this.dispatchEvent(new Event("error"));
      scope.document.body.append(script);
    }

    // Hands a message to the script once it is there.
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }

    // The script has sent a message.
    tell(data) {
      const event = new MessageEvent("message", { data });
      if (this.onmessage) this.onmessage(event);
      this.dispatchEvent(event);
    }
  }

  // The theme looks for this name to find its files from within the frame.
  window.IFrameWorker = window.Worker = FrameWorker;
})();
