"""Trees of linear classifiers: trained in layers, packed, searched. What label trees and one-vs-rest share."""
