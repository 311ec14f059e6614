"""Makes the bucket of STORAGE_URL where there is none yet; run once by compose.yaml."""

import os
from urllib.parse import parse_qsl, unquote, urlsplit

import boto3
from botocore.exceptions import ClientError

url = urlsplit(os.environ["STORAGE_URL"])
options = dict(parse_qsl(url.query))
bucket = boto3.client(
    "s3",
    endpoint_url=options.get("endpoint_url"),
    region_name=options.get("region_name", "us-east-1"),
    aws_access_key_id=unquote(url.username or ""),
    aws_secret_access_key=unquote(url.password or ""),
)
try:
    bucket.head_bucket(Bucket=url.hostname)
except ClientError as error:
    if error.response["Error"]["Code"] not in ("404", "NoSuchBucket"):
        raise
    bucket.create_bucket(Bucket=url.hostname)
