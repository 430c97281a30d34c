import { clsx } from "clsx";

/** The logo: a hexagonal cell with an open gate. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={clsx("size-8", className)} aria-hidden="true" focusable="false">
      <path d="M16 1.8 28.3 8.9v14.2L16 30.2 3.7 23.1V8.9z" fill="var(--accent)" />
      <path
        d="M10.6 22.4v-7.2a5.4 5.4 0 0 1 10.8 0v7.2M16 10v12.4M10.6 16.6h10.8"
        fill="none"
        stroke="var(--accent-ink)"
        strokeWidth="2.1"
        strokeLinecap="round"
      />
    </svg>
  );
}
