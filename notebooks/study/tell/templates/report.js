"use strict";
(function () {
  const page = document.documentElement;
  const all = (where, what) => Array.from(where.querySelectorAll(what));
  all(document, "[data-script]").forEach((node) => { node.hidden = false; });

  // Theme: as the system says, or as chosen; the choice is kept where the browser lets us.
  const themes = ["system", "light", "dark"];
  const button = document.getElementById("theme");
  let theme = "system";
  try { theme = localStorage.getItem("theme") || theme; } catch (error) { /* not kept */ }
  function show(name) {
    theme = themes.includes(name) ? name : "system";
    if (theme === "system") { delete page.dataset.theme; } else { page.dataset.theme = theme; }
    button.textContent = "Theme: " + theme;
    try { localStorage.setItem("theme", theme); } catch (error) { /* not kept */ }
  }
  button.addEventListener("click", () => show(themes[(themes.indexOf(theme) + 1) % 3]));
  show(theme);

  // A link to something folded opens it, and what it lies in.
  function reveal(id) {
    const target = id && document.getElementById(decodeURIComponent(id));
    if (!target) { return; }
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") { node.open = true; }
    }
    const summary = target.tagName === "DETAILS" && target.querySelector("summary");
    if (summary) { summary.focus(); target.scrollIntoView({ block: "start" }); }
  }
  window.addEventListener("hashchange", () => reveal(location.hash.slice(1)));
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a[href^='#']");
    // The same link twice changes no hash.
    if (link && link.getAttribute("href") === location.hash) { reveal(location.hash.slice(1)); }
  });
  reveal(location.hash.slice(1));

  all(document, "button[data-fold]").forEach((fold) => fold.addEventListener("click", () => {
    const box = document.getElementById(fold.getAttribute("aria-controls"));
    all(box, "details").forEach((node) => { node.open = fold.dataset.fold === "open"; });
  }));

  // Search over what is folded: names, definitions and rules.
  const field = document.getElementById("search-field");
  const list = document.getElementById("search-results");
  const status = document.getElementById("search-status");
  const items = all(document, "details[data-kind]").map((node) => ({
    id: node.id, kind: node.dataset.kind, name: node.dataset.name, n: node.dataset.n,
    place: node.dataset.place || "",
    text: [node.dataset.name, node.dataset.place, node.dataset.kind, node.dataset.words]
      .join(" ").toLowerCase(),
  }));
  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    if (!words.length) { status.textContent = ""; return; }
    const found = items.filter((item) => words.every((word) => item.text.includes(word)));
    const named = (item) => words.every((word) => item.name.toLowerCase().includes(word));
    found.sort((a, b) => named(b) - named(a));
    found.forEach((item) => {
      const entry = document.createElement("li");
      const link = document.createElement("a");
      link.href = "#" + encodeURIComponent(item.id);
      link.textContent = item.name;
      entry.append(link, " " + item.kind + (item.place ? ", " + item.place : "") + ", " + item.n);
      list.append(entry);
    });
    status.textContent = found.length === 1 ? "1 found" : (found.length || "Nothing") + " found";
  }
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { field.value = ""; search(); }
  });
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) { first.click(); }
  });
  search();

  // Paper cannot be unfolded.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = all(document, "details[data-print]").filter((node) => !node.open);
    folded.forEach((node) => { node.open = true; });
  });
  window.addEventListener("afterprint", () => {
    folded.forEach((node) => { node.open = false; });
    folded = [];
  });
}());
