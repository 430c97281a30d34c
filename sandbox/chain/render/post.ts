import { formatMils, NO_MILS, subtractMils, toMils } from "../../../lib/mils.ts";
import type { SandboxPost } from "../../posts.ts";
import { formatTime } from "../parse/fields.ts";
import type { Community } from "../types.ts";

const WEEK_SECONDS = 7 * 86_400;
/** The curators' share of a payout. */
const CURATORS_PART = 0.5;

/** Renders a post as `bridge` shows it. `community` is the community of its category, if there is one. */
export function renderPost(id: number, post: SandboxPost, community: Community | undefined) {
  const { author, permlink, title, category, parent, payoutMils, isPaidOut } = post;
  const curators = isPaidOut ? toMils(Math.floor(payoutMils * CURATORS_PART)) : NO_MILS;
  const created = formatTime(post.created);
  const role = community?.roles.get(author);
  return {
    post_id: id,
    author,
    permlink,
    category,
    title: parent ? `RE: ${title}` : title,
    body: post.body,
    json_metadata: { tags: post.tags, image: post.pictures, app: "sandbox/1.0" },
    created,
    updated: created,
    depth: parent ? 1 : 0,
    children: 0,
    net_rshares: payoutMils * 1_000_000,
    is_paidout: isPaidOut,
    payout_at: formatTime(post.created + WEEK_SECONDS),
    payout: payoutMils / 1000,
    pending_payout_value: formatMils(isPaidOut ? NO_MILS : payoutMils),
    author_payout_value: formatMils(isPaidOut ? subtractMils(payoutMils, curators) : NO_MILS),
    curator_payout_value: formatMils(curators),
    promoted: "0.000 HBD",
    replies: [],
    active_votes: [],
    author_reputation: 25,
    stats: { hide: post.isHidden, gray: post.isGray, total_votes: 0, flag_weight: 0 },
    blacklists: [],
    reblogs: 0,
    url: `/${category}/@${author}/${permlink}`,
    beneficiaries: [],
    max_accepted_payout: formatMils(post.mostMils),
    percent_hbd: 10_000,
    ...(community && {
      community: community.name,
      community_title: community.title,
      author_role: role?.role ?? "guest",
      author_title: role?.title ?? "",
    }),
    ...(parent && { parent_author: parent.author, parent_permlink: parent.permlink }),
  };
}
