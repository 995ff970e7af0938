# The server as one static binary in an empty image.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o /mago ./cmd/mago && mkdir /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /mago /mago
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
# With SQLite the data is in /data, which is to be a volume; with MAGO_DATABASE_URL=postgres://… nothing is kept here.
WORKDIR /data
VOLUME /data
ENV MAGO_ADDR=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/mago"]
CMD ["serve"]
