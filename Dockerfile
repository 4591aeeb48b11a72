# omoide as an MCP server (standard input and output) or an HTTP server, its store on the volume /data.
#   docker build -t omoide .
#   docker run -i --rm -v omoide:/data omoide
#   docker run --rm -v omoide:/data -p 127.0.0.1:8000:8000 -e OMOIDE_TOKEN=... omoide http --host 0.0.0.0
#   docker run --rm -v omoide:/data -p 127.0.0.1:8000:8000 -e OMOIDE_TOKEN=... omoide mcp --transport http --host 0.0.0.0

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY models/e5-small models/e5-small
COPY src src
RUN python -m venv /opt/omoide \
    && /opt/omoide/bin/pip install --no-cache-dir ./models/e5-small '.[mcp,http]' \
    && find /opt/omoide -depth -name __pycache__ -exec rm -rf '{}' + \
    && /opt/omoide/bin/python -m compileall -q /opt/omoide/lib

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home omoide \
    && install -d -o omoide -g omoide /data
COPY --from=build /opt/omoide /opt/omoide
ENV PATH=/opt/omoide/bin:$PATH \
    OMOIDE_STORE=/data/agents.db \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /home/omoide
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["omoide"]
CMD ["mcp"]
