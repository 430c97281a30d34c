import { formSignInProof } from "../../harness/form-access-token.ts";

/** Confirms a link of Ecency, and returns the address that it opens. */
export function confirmInEcency(link: string): string {
  const { searchParams } = new URL(link);
  const callback = new URL(searchParams.get("callback") ?? "");
  const username = searchParams.get("username") ?? "";
  const code = formSignInProof(username, { audience: callback.origin });
  const answer = { status: "success", username, code, request_id: searchParams.get("request_id") ?? "" };
  for (const [name, value] of Object.entries(answer)) callback.searchParams.set(name, value);
  return callback.href;
}
