import { useSyncExternalStore } from "react";
import { createKeptChoice } from "../../_ui/external-store.ts";
import type { Section } from "../data/channels.ts";

const choices = new Map<Section["kind"], ReturnType<typeof createKeptChoice<"open" | "folded">>>();

function choiceOf(kind: Section["kind"]) {
  const choice =
    choices.get(kind) ?? createKeptChoice<"open" | "folded">(`hivegate.section.${kind}`, "open", "folded");
  choices.set(kind, choice);
  return choice;
}

/** Returns whether a group of conversations is folded in this browser, and a function that changes it. */
export function useFolded(kind: Section["kind"]): [isFolded: boolean, fold: (isFolded: boolean) => void] {
  const { subscribe, snapshot, choose } = choiceOf(kind);
  const isFolded = useSyncExternalStore(subscribe, snapshot, () => "open" as const) === "folded";
  return [isFolded, (next) => choose(next ? "folded" : "open")];
}
