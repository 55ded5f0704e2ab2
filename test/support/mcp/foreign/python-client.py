"""Uses a memory by the official Python client: over stdio (a command in JSON) or over HTTP (an address and a key)."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def server_of(place):
    if "command" in place:
        return StdioServerParameters(command=place["command"], args=place["args"])
    headers = {"authorization": f"Bearer {place['key']}"}
    return streamable_http_client(place["url"], http_client=httpx2.AsyncClient(headers=headers))


async def main(place):
    async with Client(server_of(place)) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        stored = await client.call_tool("remember", {"text": "Ann likes jasmine tea"})
        ref = json.loads(stored.content[0].text)["ref"]
        found = await client.call_tool("recall", {"text": "tea"})
        read = await client.read_resource(f"daybook://records/{ref}")
        wrong = await client.call_tool("query_memory", {"filters": {"created_at": {"near": 1}}})
        return {
            "tools": tools,
            "ref": ref,
            "found": found.content[0].text,
            "read": read.contents[0].text,
            "isError": wrong.is_error,
            "error": wrong.content[0].text,
        }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
