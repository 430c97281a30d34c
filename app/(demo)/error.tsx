"use client";

import { Unavailable } from "./_session/unavailable.tsx";

/** Stands in for a page that failed in the browser, with the way to try again. */
export default function PageError({ reset }: { reset: () => void }) {
  return (
    <main id="content" className="mx-auto max-w-xl px-4 py-8">
      <Unavailable onRetry={reset} />
    </main>
  );
}
