"use client";

import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { BrokenPage, LateSiteHeader } from "./_landing/broken-page.tsx";

/** Replaces a page that failed, on the server or in the browser. */
export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  const router = useRouter();
  const retry = () =>
    startTransition(() => {
      // A failure on the server requires a new request.
      router.refresh();
      reset();
    });
  return (
    <>
      <LateSiteHeader />
      <BrokenPage digest={error.digest} onRetry={retry} />
    </>
  );
}
