// Runs in the offline page: loads the requested page once the server answers. It asks only while the page is
// visible.
const ASK_MS = 5000;

function ask(): void {
  if (document.hidden) return;
  fetch("/api/health/live", { cache: "no-store" }).then(
    ({ ok }) => ok && location.reload(),
    () => {
      // The server is still unreachable.
    },
  );
}

addEventListener("online", ask);
addEventListener("visibilitychange", ask);
setInterval(ask, ASK_MS);
