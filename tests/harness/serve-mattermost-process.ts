import { startMattermost } from "../../sandbox/mattermost/start.ts";

/** The child of `startMattermostProcess`: a backend that can be killed. */
const [dataDir = ""] = process.argv.slice(2);
const { url, adminToken, teamId } = await startMattermost({ port: 0, dataDir });
process.send?.({ url, adminToken, teamId });
