// Every SNS scenario that runs with one shard and with four; a new file is a new line here.

import "./confirmation.ts";
import "./deliveries.ts";
import "./lists-and-tags.ts";
import "./publish-validation.ts";
import "./raw-query.ts";
import "./subscribe.ts";
import "./subscription-attributes.ts";
import "./topic-attributes.ts";
import "./topics.ts";
