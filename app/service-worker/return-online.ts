// Runs in the offline page: loads the page that was asked for once the server answers, and asks while somebody looks.
const ASK_MS = 5000;

function ask(): void {
  if (document.hidden) return;
  fetch("/api/health/live", { cache: "no-store" }).then(
    ({ ok }) => ok && location.reload(),
    () => {
      // Still out of reach.
    },
  );
}

addEventListener("online", ask);
addEventListener("visibilitychange", ask);
setInterval(ask, ASK_MS);
