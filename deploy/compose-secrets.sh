#!/bin/sh
# Makes the secrets of deploy/compose.yaml in deploy/secrets, unless they exist. Needs openssl.
set -eu
cd "$(dirname "$0")"

# Nobody else gets into the folder. The files can be read by all: in a container, the gateway runs as another user.
umask 077
mkdir -p secrets
write() {
  [ -e "secrets/$1" ] && return
  printf '%s\n' "$2" > "secrets/$1.new"
  chmod 444 "secrets/$1.new"
  mv "secrets/$1.new" "secrets/$1"
}
write mongo_keyfile "$(openssl rand -base64 756 | tr -d '\n')"
write mongo_admin_password "$(openssl rand -hex 24)"
write mongo_gateway_password "$(openssl rand -hex 24)"
write mongodb_uri "mongodb://gateway:$(cat secrets/mongo_gateway_password)@mongo1,mongo2,mongo3/auth_gateway?replicaSet=rs0"
