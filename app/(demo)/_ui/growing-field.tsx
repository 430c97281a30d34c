"use client";

import { clsx } from "clsx";
import { type ComponentPropsWithoutRef, type RefObject, useLayoutEffect } from "react";

type GrowingFieldProps = ComponentPropsWithoutRef<"textarea"> & {
  ref: RefObject<HTMLTextAreaElement | null>;
};

/** A text field as tall as its text, up to the maximum height that its classes set. */
export function GrowingField({ ref, className, ...rest }: GrowingFieldProps) {
  useFittedHeight(ref);
  return (
    <textarea ref={ref} rows={1} className={clsx("field-sizing-content resize-none", className)} {...rest} />
  );
}

/** Fits the height of a field to its text in browsers that do not do so themselves. */
function useFittedHeight(field: RefObject<HTMLTextAreaElement | null>): void {
  useLayoutEffect(() => {
    if (CSS.supports("field-sizing", "content")) return;
    const grow = () => fitHeight(field.current);
    grow();
    window.addEventListener("resize", grow);
    return () => window.removeEventListener("resize", grow);
  });
}

function fitHeight(field: HTMLTextAreaElement | null): void {
  const place = field?.parentElement;
  if (!place) return;
  // If the place shrank for a moment, the browser would scroll the list above it.
  place.style.minHeight = `${place.offsetHeight}px`;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  place.style.minHeight = "";
}
