#!/bin/sh
# Makes what compose.yaml needs, in deploy/secrets: random passwords, and a certificate authority of its own with a certificate for each
# part. What is there already is kept, so it may be run again. Needs openssl.
#   sh deploy/make-secrets.sh [directory] [name that clients use, such as id.example.org]
set -eu
directory=${1:-deploy/secrets}
public=${2:-localhost}
days=825
umask 077
mkdir -p "$directory"
# Only its owner gets into the directory. The files are readable within containers, which run as other users.
chmod 700 "$directory"
cd "$directory"

password() { [ -e "$1" ] || openssl rand -hex 32 | tr -d '\n' >"$1"; }
for name in db-password search-password redis-password grafana-password secrets-key; do password "$name"; done

if [ ! -e ca.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=Cardea internal CA' \
    -addext 'basicConstraints=critical,CA:true,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -keyout ca-key.pem -out ca.pem 2>/dev/null
fi

certificate() { # name, names in the certificate
  [ -e "$1.pem" ] && return
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1-key.pem" -out "$1.csr" 2>/dev/null
  printf 'subjectAltName=%s\nbasicConstraints=critical,CA:false\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth,clientAuth\n' "$2" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days "$days" -extfile "$1.ext" -out "$1.pem" 2>/dev/null
  rm "$1.csr" "$1.ext"
}
for name in postgres opensearch redis cardea; do certificate "$name" "DNS:$name,DNS:localhost"; done
certificate balancer "DNS:$public,DNS:localhost,IP:127.0.0.1"
# HAProxy takes certificate and key from one file.
[ -e balancer-pair.pem ] || cat balancer.pem balancer-key.pem >balancer-pair.pem
chmod 644 ./*
chmod 600 ca-key.pem

# What compose.yaml puts into addresses. Compose reads it with --env-file.
{
  echo "CARDEA_DB_PASSWORD=$(cat db-password)"
  echo "CARDEA_SEARCH_PASSWORD=$(cat search-password)"
  echo "CARDEA_REDIS_PASSWORD=$(cat redis-password)"
  echo "CARDEA_SECRETS=$(pwd)"
} >compose.env
chmod 600 compose.env
echo "Secrets are in $(pwd). Start with: docker compose --env-file $(pwd)/compose.env up --build --detach"
